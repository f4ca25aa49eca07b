import type { Palette } from './palette.js';

/** Styles of addresses, choices, warnings and collapsed parts. */
export const pieces = (palette: Palette): string => `
.identicon { flex: none; width: 34px; height: 34px; border-radius: 10px; }
.name { display: block; font-weight: 550; line-height: 1.4; }
.address { display: inline-block; font: 13px/1.5 monospace; letter-spacing: 0; color: ${palette.soft}; text-align: start; }
.address > span { margin-right: .42em; white-space: nowrap; }
.address > .prefix { margin-right: .1em; }
.address > .end { color: ${palette.ink}; font-weight: 600; }
.choices { overflow: hidden; border-radius: 14px; background: ${palette.sunken}; }
.choice + .choice { border-top: 1px solid ${palette.line}; }
.choice { display: flex; gap: 12px; align-items: center; padding: 12px 14px; cursor: pointer; }
.choice > span { flex: 1; min-width: 0; }
.choice:focus-within { outline: 2px solid ${palette.focus}; outline-offset: -2px; border-radius: 14px; }
:is(input[type=checkbox], input[type=radio]) { flex: none; width: 20px; height: 20px; margin: 0; accent-color: ${palette.strong}; outline: none; cursor: inherit; }
.warnings > li {
  display: flex;
  gap: 10px;
  padding: 12px 14px;
  border-radius: 14px;
  background: ${palette.sunken};
  font-size: 14px;
  line-height: 1.42;
}
.warnings > li + li { margin-top: 8px; }
.warnings strong { font-weight: 600; }
.warnings .mark { flex: none; width: 20px; height: 20px; color: ${palette.soft}; }
.warnings [data-severity=caution] { background: ${palette.cautionGround}; }
.warnings [data-severity=caution] :is(.mark, strong) { color: ${palette.caution}; }
.warnings [data-severity=danger] { background: ${palette.dangerGround}; }
.warnings [data-severity=danger] :is(.mark, strong) { color: ${palette.danger}; }
.warnings .detail { margin-top: 6px; white-space: pre-wrap; font: 13px/1.5 monospace; letter-spacing: 0; }
.warnings .headlines { display: flex; gap: 10px; font-size: 14px; line-height: 1.42; }
.headlines ul { display: inline; }
.headlines strong { margin-inline-end: .5em; }
.headlines li { display: inline; font-weight: 550; }
.headlines li + li::before { content: " · "; font-weight: 400; }
.warnings :is(.headlines, .explained) { padding: 12px 14px; border-radius: 14px; background: ${palette.dangerGround}; }
.warnings :is(.headlines, .explained) :is(.mark, strong) { color: ${palette.danger}; }
details { border-top: 1px solid ${palette.line}; }
summary {
  display: flex;
  align-items: center;
  justify-content: space-between;
  min-height: 44px;
  border-radius: 6px;
  color: ${palette.soft};
  cursor: pointer;
  list-style: none;
  user-select: none;
}
summary::-webkit-details-marker { display: none; }
summary:hover { color: ${palette.ink}; }
.chevron { width: 16px; height: 16px; transition: transform .15s; }
[open] > summary .chevron { transform: rotate(180deg); }
details > div > * + * { margin-top: 10px; }
`;
