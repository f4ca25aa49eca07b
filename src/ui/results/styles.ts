import type { Palette } from '../styles.js';

/**
 * The line of results. Its host is fixed and takes no pointer, so that it moves nothing in the page and covers only its own box.
 * It is in no top layer: every modal dialog, and so every question, is above it.
 */
export const resultStyles = (palette: Palette): string => `
:host {
  position: fixed !important;
  inset: auto 0 0 !important;
  z-index: 2147483647 !important;
  pointer-events: none !important;
}
.result {
  color-scheme: ${palette.scheme};
  background: ${palette.ground};
  color: ${palette.ink};
  font: 400 15px/1.45 system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
  text-align: start;
  -webkit-text-size-adjust: 100%;
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0 4px;
  width: fit-content;
  max-width: min(480px, 100vw - 24px);
  max-height: 50vh;
  margin: 0 auto max(16px, env(safe-area-inset-bottom));
  padding: 4px 4px 4px 18px;
  overflow-y: auto;
  border: 1px solid ${palette.line};
  border-radius: 18px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .08), 0 12px 32px -8px rgb(0 0 0 / .28);
  pointer-events: auto;
}
.result[dir=rtl] { padding: 4px 18px 4px 4px; }
/* A question is open: the line keeps the focus for afterwards, and shows nothing. */
.result[data-away] { opacity: 0; pointer-events: none; }
.result .news { display: flex; flex: 1 1 0; min-width: min(180px, 60vw); padding: 10px 0; padding-inline-end: 8px; }
.result .news::before {
  content: "";
  flex: none;
  width: 8px;
  height: 8px;
  margin: 7px 0 0;
  margin-inline-end: 10px;
  border-radius: 50%;
  background: ${palette.trial};
}
.result[data-tone=good] .news::before { background: ${palette.live}; }
.result[data-tone=bad] .news::before { background: ${palette.danger}; }
.result button { flex: none; min-height: 44px; min-width: 44px; border-radius: 14px; background: none; }
.result button:hover { background: ${palette.button}; }
.result .fast { color: ${palette.focus}; }
.result .fast[aria-disabled=true] { color: ${palette.soft}; cursor: default; }
.result .close { padding: 0; margin-inline-start: auto; }
.result .close svg { display: block; width: 20px; height: 20px; margin: auto; color: ${palette.soft}; }
/* WebKit takes a font of the page by the name of system-ui. */
@supports (hanging-punctuation: first) {
  .result { font: 400 15px/1.45 sans-serif; font-variant-numeric: tabular-nums; }
}
@media (prefers-reduced-motion: no-preference) {
  .result { animation: arrive .22s cubic-bezier(.2, .8, .2, 1); }
  .result[data-tone=waiting] .news::before { animation: appear 1s ease-in-out infinite alternate; }
}
@media (forced-colors: active) {
  .result .news::before { background: CanvasText; forced-color-adjust: none; }
}
`;
