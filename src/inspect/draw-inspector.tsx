import { attachShadow, isolateEvents } from '../ui/dialog/sheet.js';
import { createElement } from '../ui/elements.js';
import { h, render } from '../ui/h.js';
import { bodyOfPage } from '../ui/page.js';
import type { Theme } from '../ui/styles.js';
import type { Inspection } from './inspect.js';
import { inspectorStyles } from './styles.js';
import { InspectorView } from './view.js';

/** Draws an inspection in a closed shadow root until `signal` aborts, at most ten times a second. */
export function drawInspector(
  element: Element | undefined,
  inspection: Inspection,
  theme: Theme,
  signal: AbortSignal,
): void {
  const host = createElement('div');
  const root = createElement('section');
  host.setAttribute('data-graft', 'inspector');
  root.className = 'panel inspector';
  root.setAttribute('lang', 'en');
  root.setAttribute('aria-label', 'Wallet inspector');
  isolateEvents(host, signal);
  attachShadow(host, root, theme).add(inspectorStyles);
  (element ?? bodyOfPage()).append(host);

  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    timer = undefined;
    render(<InspectorView inspection={inspection} />, root);
  };
  draw();
  inspection.watch(() => {
    timer ??= setTimeout(draw, interval);
  });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    render(null, root);
    host.remove();
  });
}

/** Milliseconds. */
const interval = 100;
