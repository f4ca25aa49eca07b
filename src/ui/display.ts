import { elementAt } from './page.js';

/**
 * Watches that the dialog is shown as it was made. Top-layer elements are out of reach of most styles of the page,
 * but not of `display: none`, `content-visibility` and `zoom` around them.
 */
export interface DisplayWatch {
  /** Measures now: whether the dialog is modal, as large as its style sheet makes it, in view and uncovered. */
  isShown(): boolean;
  stop(): void;
}

/** Milliseconds between two measurements; every press of a button is preceded by one of its own. */
const interval = 100;
/** CSS pixels, as in `surface.ts` and `conditions.ts`: narrower pages give it their whole width. */
const dialogWidth = 412;
const phoneWidth = 480;
/** CSS pixels from the corners of the dialog, inside its rounding. */
const inset = 16;

export function watchDisplay(
  dialog: HTMLDialogElement,
  host: Element,
  onChange: (misshown: boolean) => void,
): DisplayWatch {
  /** Zoom of the page scales the top layer too: the dialog is zoomed back. */
  const undoZoom = (): void => {
    let zoom = 1;
    for (let each: Element | null = host; each !== null; each = each.parentElement)
      zoom *= Number(getComputedStyle(each).zoom) || 1;
    const undone = zoom === 1 ? '' : String(1 / zoom);
    if (dialog.style.zoom !== undone) dialog.style.zoom = undone;
  };

  const isShown = (): boolean => {
    if (!dialog.open || !dialog.matches(':modal')) return false;
    undoZoom();
    const { left, top, right, bottom, width, height } = dialog.getBoundingClientRect();
    // `innerWidth` is what a pinched-in page shows, `clientWidth` leaves scroll bars out.
    const root = host.parentElement?.parentElement;
    const pageWidth = Math.max(innerWidth, root?.clientWidth ?? 0);
    const pageHeight = Math.max(innerHeight, root?.clientHeight ?? 0);
    const expected = pageWidth < phoneWidth ? pageWidth : dialogWidth;
    if (Math.abs(width - expected) > expected / 10 || height < 8 * inset) return false;
    if (left < -1 || top < -1 || right > pageWidth + 1 || bottom > pageHeight + 1) return false;
    const points = [left + inset, right - inset].flatMap((x) => [
      [x, top + inset] as const,
      [x, bottom - inset] as const,
    ]);
    return points.every(([x, y]) => elementAt(x, y) === host);
  };

  let last = true;
  const measure = (): void => {
    const shown = isShown();
    if (shown !== last) onChange(!shown);
    last = shown;
  };
  measure();
  const timer = setInterval(measure, interval);
  return { isShown, stop: () => clearInterval(timer) };
}
