import type { Palette } from './palette.js';

/** The dialog's surface and backdrop, its header and its title. */
export const surface = (palette: Palette): string => `
:host {
  all: initial !important;
  display: block !important;
}
dialog, .panel {
  color-scheme: ${palette.scheme};
  box-sizing: border-box;
  background: ${palette.ground};
  color: ${palette.ink};
  font: 400 15px/1.45 system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  letter-spacing: -.004em;
  overflow-wrap: anywhere;
  text-align: start;
  -webkit-font-smoothing: antialiased;
  -webkit-text-size-adjust: 100%;
}
/* WebKit takes a font of the page by the name of system-ui. */
@supports (hanging-punctuation: first) {
  dialog, .panel { font: 400 15px/1.45 sans-serif; font-variant-numeric: tabular-nums; }
}
dialog {
  inset: 0;
  width: 412px;
  max-width: calc(100vw - 24px);
  max-height: min(780px, 100vh - 32px);
  max-height: min(780px, 100dvh - 32px);
  margin: auto;
  padding: 0;
  overflow: hidden;
  border: 1px solid ${palette.edge};
  border-radius: 22px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .08), 0 24px 64px -12px rgb(0 0 0 / .32);
  overscroll-behavior: contain;
}
dialog[open] { display: flex; flex-direction: column; animation: arrive .22s cubic-bezier(.2, .8, .2, 1); }
dialog::backdrop { background: rgb(9 11 15 / .5); animation: appear .2s ease-out; }
@keyframes arrive { from { opacity: 0; transform: translateY(10px) scale(.985); } }
@keyframes rise { from { transform: translateY(40%); } }
@keyframes appear { from { opacity: 0; } }
@keyframes progress { from { transform: scaleX(0); } }

*, ::before, ::after { box-sizing: border-box; }
h2, h3, p, dl, dd, ul, ol, blockquote, figure, fieldset { margin: 0; padding: 0; }
ul, ol { list-style: none; }
bdi { unicode-bidi: isolate; }
small { font-size: 13px; color: ${palette.soft}; }
:focus-visible { outline: 2px solid ${palette.focus}; outline-offset: 2px; }
h2:focus { outline: none; }

.top { display: contents; }
.head {
  display: flex;
  flex: none;
  align-items: flex-start;
  justify-content: space-between;
  flex-wrap: wrap;
  gap: 6px 16px;
  padding: 18px 24px 14px;
  border-bottom: 1px solid ${palette.line};
}
.site { flex: 1 0 auto; max-width: 100%; padding-top: 2px; color: ${palette.soft}; line-height: 1.35; }
.waiting { flex: none; color: ${palette.soft}; font-size: 13px; line-height: 2; }
.site b { color: ${palette.ink}; font-weight: 600; }
.head > small { flex-basis: 100%; color: ${palette.caution}; }
.badge {
  flex: none;
  max-width: 100%;
  overflow: hidden;
  padding: 3px 10px 3px 9px;
  border: 1px solid ${palette.line};
  border-radius: 99px;
  font-size: 13px;
  line-height: 1.45;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.badge::before {
  content: "";
  display: inline-block;
  width: 7px;
  height: 7px;
  margin-inline-end: 7px;
  border-radius: 50%;
  background: ${palette.live};
  vertical-align: 1px;
}
.badge[data-testnet]::before { background: ${palette.trial}; }
.badge small { margin-inline-start: 5px; font-size: 12px; }

.dangers {
  flex: 0 1 auto;
  min-height: 48px;
  max-height: 40vh;
  padding: 12px 24px 0;
  overflow-y: auto;
  overscroll-behavior: contain;
  scrollbar-width: thin;
}
/* The view gives way before the dangers do. */
.body {
  flex: 0 1000 auto;
  min-height: 72px;
  padding: 20px 24px 22px;
  overflow-y: auto;
  overscroll-behavior: contain;
  scrollbar-width: thin;
  scrollbar-color: ${palette.line} transparent;
}
.body > * + * { margin-top: 16px; }
h2 { font-size: 15px; font-weight: 600; line-height: 1.4; letter-spacing: -.01em; }
/* Without an amount, the title is the largest text. */
.body:not(:has(> .hero)) > h2 { font-size: 21px; letter-spacing: -.02em; line-height: 1.3; }
.body > .lead { margin-top: 4px; color: ${palette.soft}; text-wrap: pretty; }
.lead:empty { display: none; }
/* In the panel a text from outside scrolls by itself; in a question only what must be scrolled to its end does. Below a line height of 1.4 some fonts would overflow. */
.view :is(.lead, h3, .name, blockquote, .rows dt, .rows dd, .fields dt, .fields dd) { max-height: 10em; overflow-y: auto; scrollbar-width: thin; }
.bottom { height: 1px; margin: 0 !important; }
.body:has(> .rest) { scroll-padding-bottom: 64px; }
.rest {
  position: sticky;
  bottom: 0;
  display: flex;
  align-items: center;
  justify-content: center;
  gap: 8px;
  width: 100%;
  min-height: 44px;
  border: 1px solid ${palette.line};
  border-radius: 14px;
  background: ${palette.ground};
  font-size: 14px;
  font-weight: 600;
  cursor: pointer;
}
`;
