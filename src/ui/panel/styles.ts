import type { Palette } from '../styles.js';

/** The panel's rules beside those that it shares with the dialog. */
export const panelStyles = (palette: Palette): string => `
.panel { display: flex; flex-direction: column; width: 100%; min-width: 0; min-height: 0; border-radius: 22px; }
.modal { height: min(680px, 100vh - 40px); }
.bar { display: flex; flex: none; align-items: center; gap: 4px 8px; min-height: 60px; padding: 8px 12px 8px 16px; border-bottom: 1px solid ${palette.line}; }
.bar h2 { flex: 1 1 0; min-width: min-content; padding: 0 4px; font-size: 17px; overflow-wrap: break-word; }
.bar .plain { flex: 0 1 auto; }
.view { flex: 1 1 auto; min-height: 0; padding: 16px 20px 20px; overflow-y: auto; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: ${palette.line} transparent; }
.view > * + *, .form > * + * { margin-top: 16px; }
.view > :is(:empty, .error:empty), .form > :is(:empty, .error:empty) { display: none; }
.view h3 { margin: 22px 0 0; font-size: 14px; color: ${palette.soft}; font-weight: 600; }
.view h3.title { margin: 0; font-size: 19px; color: ${palette.ink}; }
.view > h3:first-child { margin-top: 0; }
.view h3 + * { margin-top: 8px; }
h3:focus { outline: none; }
.soft { color: ${palette.soft}; }
.bad { color: ${palette.danger}; }
.hero .soft { font-weight: 500; }
.line { display: flex; align-items: center; gap: 10px; min-width: 0; }
.line.wraps { flex-wrap: wrap; }
.cards > .line.wraps { padding-block: 10px; }
.line.wraps > .grow { flex: 1 1 180px; }
.grow { flex: 1; min-width: 0; text-align: start; }
.grow > :is(small, code) { display: block; color: ${palette.soft}; }
.grow > small code { white-space: nowrap; }
.grow > .bad { color: ${palette.danger}; }
.cards { border-radius: 14px; background: ${palette.sunken}; overflow: hidden; }
.suggestions { margin-top: 8px; }
.cards:empty { display: none; }
.cards > li { padding: 6px 10px 6px 14px; min-height: 56px; }
.cards > li:has(> .row:only-child) { padding: 0; }
.cards > .item { padding: 10px 14px 12px; }
.item > * + * { margin-top: 6px; }
.cards > li + li { border-top: 1px solid ${palette.line}; }
.cards .identicon { width: 28px; height: 28px; border-radius: 9px; }
.row, .plain { display: flex; align-items: center; gap: 10px; min-width: 0; min-height: 44px; padding: 4px 6px; border-radius: 10px; background: none; font-weight: 400; text-align: start; }
.row { flex: 1; width: 100%; padding: 8px 6px; }
.cards > li > .row:only-child { padding: 10px 14px; border-radius: 0; }
.plain { flex: 0 1 auto; }
.line > .plain:first-child { margin-inline-end: auto; }
.row:hover, .plain:hover, .icon-button:hover, .tab:hover { background: ${palette.button}; }
.plain .own { justify-content: flex-start; }
.icon { flex: none; width: 20px; height: 20px; }
[dir=rtl] .flips { transform: scaleX(-1); }
.icon-button { display: inline-flex; flex: none; align-items: center; justify-content: center; width: 44px; min-height: 44px; padding: 0; border-radius: 12px; background: none; }
.small { flex: none; min-height: 44px; padding: 6px 14px; border-radius: 12px; font-size: 14px; background: ${palette.button}; }
.chip { flex: none; padding: 2px 9px; border: 1px solid ${palette.line}; border-radius: 99px; color: ${palette.soft}; font-size: 12px; }
.grow > .chip { display: inline-block; margin-top: 4px; }
.chip[data-state=good] { color: ${palette.good}; }
.chip[data-state=bad] { color: ${palette.danger}; }
.chip[data-state=open] { color: ${palette.caution}; }
.grow > .mini { display: flex; align-items: center; gap: 6px; margin-top: 4px; }
.cards .mini .identicon { width: 16px; height: 16px; border-radius: 5px; }
.banner { display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: center; padding: 12px 14px; border-radius: 14px; background: ${palette.cautionGround}; color: ${palette.caution}; }
.banner > div { flex: 1 1 180px; }
.banner > button { flex: 1 1 130px; background: ${palette.ground}; }
.actions.wrap { flex-wrap: wrap; }
.actions.wrap > * { flex: 1 1 140px; }
.joined { display: flex; align-items: center; gap: 8px; margin-top: 8px; }
.joined input { flex: 1; min-width: 0; margin: 0; }
.joined button { flex: none; }
.field > small { display: block; margin-top: 6px; }
.field .party { margin-top: 10px; }
fieldset { min-width: 0; border: 0; }
legend { padding: 0 0 8px; font-weight: 550; }
.tabs { display: flex; flex: none; padding: 4px 8px max(4px, env(safe-area-inset-bottom)); border-top: 1px solid ${palette.line}; }
.tab { display: flex; flex: 1 1 0; flex-direction: column; align-items: center; gap: 2px; min-width: 44px; min-height: 52px; padding: 6px 2px; border-radius: 12px; background: none; color: ${palette.soft}; font-size: 11px; font-weight: 500; line-height: 1.3; overflow-wrap: normal; }
.tab[aria-current=page] { color: ${palette.ink}; font-weight: 650; }
[aria-disabled=true]:not(.confirm) { opacity: .6; cursor: default; }
form[data-busy] .confirm, .form[data-busy] .confirm { background: ${palette.waiting}; color: ${palette.onWaiting}; }
`;
