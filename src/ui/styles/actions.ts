import { confirmDelay, dangerDelay } from '../dialog/clickjacking-guard.js';
import type { Palette } from './palette.js';

/** The password field, the error line, the two buttons and the progress of their delay. */
export const actions = (palette: Palette): string => `
.foot { flex: none; padding: 16px 24px 24px; border-top: 1px solid ${palette.line}; }
label[for] { display: block; font-weight: 550; }
label[for] + small { display: block; line-height: 1.4; }
:is(input:not([type=checkbox], [type=radio]), textarea, select) {
  width: 100%;
  min-height: 46px;
  margin: 8px 0 0;
  padding: 0 14px;
  border: 1px solid ${palette.fieldLine};
  border-radius: 12px;
  background: ${palette.ground};
  color: inherit;
  font: inherit;
  font-size: 16px;
}
:is(input:not([type=checkbox], [type=radio]), textarea, select):focus { border-color: ${palette.focus}; outline: 3px solid ${palette.focusRing}; outline-offset: 0; }
:is(input, textarea)[aria-invalid=true] { border-color: ${palette.danger}; }
:is(input, textarea)::placeholder { color: ${palette.soft}; opacity: 1; }
.error { margin-top: 8px; color: ${palette.danger}; font-size: 14px; }
.error:empty { display: none; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.actions { display: flex; gap: 10px; }
input ~ .actions { margin-top: 16px; }
.error:not(:empty) ~ .actions { margin-top: 14px; }
button, .button {
  position: relative;
  flex: 1;
  min-width: 0;
  min-height: 48px;
  padding: 8px 14px;
  overflow: hidden;
  border: 0;
  border-radius: 14px;
  background: ${palette.button};
  color: ${palette.ink};
  font: inherit;
  font-weight: 600;
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
  touch-action: manipulation;
}
button:hover, .button:hover { background: ${palette.buttonHover}; }
.button { display: inline-flex; align-items: center; justify-content: center; text-decoration: none; text-align: center; }
.links { display: flex; flex-wrap: wrap; gap: 0 20px; }
.foot > .links { margin: 4px 0; }
.link {
  flex: 0 1 auto;
  min-height: 44px;
  padding: 0;
  border-radius: 6px;
  background: none;
  color: ${palette.focus};
  font-weight: 550;
  text-align: start;
}
.link:hover { background: none; text-decoration: underline; }
.confirm { background: ${palette.strong}; color: ${palette.onStrong}; }
.confirm:hover { background: ${palette.strongHover}; }
[data-severe] .confirm { background: ${palette.severe}; color: ${palette.onSevere}; }
button:active:not([aria-disabled=true]) { transform: scale(.985); }
.confirm[aria-disabled=true] { background: ${palette.waiting}; color: ${palette.onWaiting}; cursor: default; }
[data-severe] .confirm[aria-disabled=true] { background: ${palette.severeWaiting}; }
.confirm[data-waiting]::before {
  content: "";
  position: absolute;
  inset: 0;
  background: rgb(0 0 0 / .22);
  transform-origin: left;
  animation: progress ${confirmDelay}ms linear;
}
[dir=rtl] .confirm::before { transform-origin: right; }
[data-severe] .confirm[data-waiting]::before { animation-duration: ${dangerDelay}ms; }
[data-busy] .confirm::after {
  content: "";
  display: inline-block;
  width: 14px;
  height: 14px;
  margin-inline-start: 9px;
  border: 2px solid currentColor;
  border-inline-end-color: transparent;
  border-radius: 50%;
  vertical-align: -2px;
  animation: turn .8s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
`;
