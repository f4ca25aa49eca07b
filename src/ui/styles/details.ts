import type { Palette } from './palette.js';

/** Styles of transactions, messages and networks: amounts, rows, boxes. Loaded with the views that need them. */
export const details = (palette: Palette): string => `
.hero {
  font-size: 34px;
  font-weight: 650;
  line-height: 1.15;
  letter-spacing: -.028em;
}
.body > .hero { margin-top: 10px; }
.body > .lead:not(:empty) + .hero { margin-top: 16px; }
.hero[data-long] { font-size: 24px; letter-spacing: -.02em; }
.hero[data-long=very] { font-size: 17px; line-height: 1.35; letter-spacing: -.01em; }
.hero .unit { color: ${palette.soft}; font-weight: 500; }
.about { margin: 2px 0 0; }
.about small { display: block; }
.hero[data-tone] > :first-child { color: ${palette.danger}; }
.hero .badge { display: inline-block; white-space: normal; padding: 8px 16px 8px 14px; font-size: 16px; font-weight: 500; letter-spacing: -.01em; }
.blocks, .card, .box, blockquote, .change { border-radius: 14px; background: ${palette.sunken}; }
.blocks:empty { display: none; }
.blocks > div { padding: 12px 14px 13px; }
.blocks > div + div { border-top: 1px solid ${palette.line}; }
dt { color: ${palette.soft}; }
.blocks dt { margin-bottom: 5px; font-size: 13px; line-height: 1.4; }
.blocks :is(dd, li) > small { display: block; margin-top: 6px; padding-inline-start: 46px; }
.blocks li + li { margin-top: 14px; }
.blocks li > .name { margin-bottom: 4px; }
.blocks > div:has(.own) { display: flex; gap: 16px; align-items: center; justify-content: space-between; }
.blocks > div:has(.own) dt { flex: none; margin: 0; }
.own { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: center; justify-content: flex-end; }
.own .identicon { width: 22px; height: 22px; border-radius: 7px; }
.own code { color: ${palette.soft}; }
.party { display: flex; gap: 12px; align-items: center; }
.party > div { min-width: 0; }
.rows > div { display: flex; gap: 20px; justify-content: space-between; padding: 4px 0; }
.rows dt { flex: none; max-width: 50%; }
.rows dd { min-width: 0; text-align: end; }
.rows dd small { display: block; }
.rows strong { font-weight: 600; }
.rows li + li { margin-top: 4px; }
code { font: 13px/1.5 monospace; letter-spacing: 0; }
.fields > div + div { margin-top: 12px; }
.fields dt { font-size: 13px; line-height: 1.4; }
.fields dt small { font: 12px monospace; letter-spacing: 0; }
.fields dd { white-space: pre-wrap; }
.card { padding: 14px; }
.explained h3 small { display: block; margin-top: 2px; color: ${palette.soft}; font-weight: 400; }
.explained .blocks { background: ${palette.ground}; }
.explained .blocks + h3 { margin-top: 14px; }
.explained dd > bdi { display: block; font-weight: 600; }
.explained bdi + .party { margin-top: 6px; }
.calls .calls { margin-top: 12px; padding-inline-start: 12px; border-inline-start: 2px solid ${palette.line}; }
.calls > li + li { margin-top: 14px; padding-top: 14px; border-top: 1px solid ${palette.line}; }
.calls .blocks { background: ${palette.ground}; }
h3 { margin-bottom: 10px; font-size: 15px; font-weight: 600; }
blockquote { padding: 14px 16px; font-size: 16px; text-wrap: pretty; }
.change > div { display: flex; align-items: center; justify-content: space-between; gap: 16px; padding: 13px 14px; }
.change > div + div { border-top: 1px solid ${palette.line}; }
.change .badge { background: ${palette.ground}; }
.box { padding: 14px 16px; white-space: pre-wrap; }
/* Only what is collapsed at first scrolls by itself. */
details .box { max-height: 220px; overflow-y: auto; overscroll-behavior: contain; scrollbar-width: thin; }
details .box.code { max-height: 150px; }
.box.code { font: 13px/1.6 monospace; letter-spacing: 0; color: ${palette.soft}; word-break: break-all; }
`;
