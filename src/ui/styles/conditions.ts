/** Small screens, reduced motion, forced colours. */
export const conditions = `
@media (max-width: 479px) {
  dialog {
    width: 100%;
    max-width: 100%;
    max-height: calc(100vh - 24px);
    max-height: calc(100dvh - 24px);
    margin: auto 0 0;
    border-width: 1px 0 0;
    border-radius: 22px 22px 0 0;
  }
  dialog[open] { animation-name: rise; }
  .head, .dangers, .body, .foot { padding-left: 20px; padding-right: 20px; }
  .foot { padding-bottom: max(20px, env(safe-area-inset-bottom)); }
  button { min-height: 52px; }
}
@media (max-height: 640px) {
  dialog { max-height: calc(100vh - 8px); max-height: calc(100dvh - 8px); }
  .head { padding-top: 10px; padding-bottom: 8px; }
  .dangers { padding-top: 8px; }
  .warnings .headlines { font-size: 13px; line-height: 1.35; }
  .warnings > li, .warnings :is(.headlines, .explained) { padding: 8px 12px; }
  .body { padding-top: 12px; padding-bottom: 10px; }
  .foot { padding-top: 10px; padding-bottom: max(12px, env(safe-area-inset-bottom)); }
  .foot label[for] + small { display: none; }
  .foot > .links { margin: 0; }
  button { min-height: 44px; }
}
@media (max-height: 400px) {
  dialog[open] { display: block; overflow-y: auto; scroll-padding-top: 60vh; }
  .body { overflow: visible; }
  .top { display: block; position: sticky; z-index: 1; top: 0; background: inherit; }
}
@media (prefers-reduced-motion: reduce) {
  dialog[open], dialog::backdrop { animation: none; }
  .chevron, button { transition: none; }
  button:active:not([aria-disabled=true]) { transform: none; }
  .confirm[data-waiting]::before { animation-timing-function: steps(4, end); }
  [data-busy] .confirm::after { animation-duration: 4s; }
}
@media (forced-colors: active) {
  dialog, .badge, .blocks, .card, .choices, .box, blockquote, .change, .warnings > li, button { border: 1px solid; }
  .badge::before { background: CanvasText; forced-color-adjust: none; }
  .confirm[aria-disabled=true] { color: GrayText; }
  .identicon { forced-color-adjust: none; }
}
`;
