import type { Palette } from './palette.js';

/** The steps in which a wallet is set up or recovered. Loaded with them. */
export const forms = (palette: Palette): string => `
textarea { padding: 12px 14px; resize: vertical; }
input[type=file] { padding: 10px 14px; font-size: 14px; }
.field + .field { margin-top: 14px; }
.note { padding: 12px 14px; border-radius: 14px; background: ${palette.cautionGround}; color: ${palette.caution}; font-size: 14px; }
.points li { position: relative; padding-inline-start: 18px; }
.points li + li { margin-top: 8px; }
.points li::before { content: ""; position: absolute; inset-inline-start: 2px; top: .55em; width: 6px; height: 6px; border-radius: 50%; background: ${palette.live}; }
.phrase { display: grid; grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 8px; counter-reset: word; }
.phrase li { padding: 9px 10px; border-radius: 10px; background: ${palette.sunken}; font-weight: 550; white-space: nowrap; counter-increment: word; }
.phrase li::before { content: counter(word) " "; color: ${palette.soft}; font-weight: 400; }
.choice small { display: block; }
progress { width: 100%; accent-color: ${palette.strong}; }
`;
