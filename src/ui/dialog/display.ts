import { cornersOf, elementAt } from '../elements.js';

/** Milliseconds between two measurements. Each press of the confirm button measures again. */
const interval = 100;
/** CSS pixels, as in `surface.ts` and `conditions.ts`. On a page narrower than a phone the dialog has its full width. */
const dialogWidth = 412;
const phoneWidth = 480;
/** CSS pixels between an edge of the dialog and a tested point, so that the point lies inside the rounded corner. */
const inset = 16;

/** Whether a `filter` of the root element applies to the dialog, as in Firefox. It can draw any picture over it. */
const filtersTopLayer = globalThis.CSS?.supports('-moz-orient', 'inline');

/**
 * Checks repeatedly that the page does not hide, move, resize or cover the dialog. The page's styles reach few
 * properties of a top-layer element, but `display: none`, `content-visibility` and `zoom` of its ancestors apply to it, and
 * in Firefox a `filter` of the root element.
 * @returns measures now whether the dialog is modal, has the size of its style sheet, and is in view and uncovered
 */
export function watchDisplay(
  dialog: HTMLDialogElement,
  host: Element,
  onChange: (isTampered: boolean) => void,
  signal: AbortSignal,
): () => boolean {
  /** `zoom` on an ancestor scales the top layer too, so the dialog gets the inverse. */
  const undoZoom = (): void => {
    let zoom = 1;
    for (let each: Element | null = host; each !== null; each = each.parentElement)
      zoom *= Number(getComputedStyle(each).zoom) || 1;
    const inverse = zoom === 1 ? '' : String(1 / zoom);
    if (dialog.style.zoom !== inverse) dialog.style.zoom = inverse;
  };

  const isShown = (): boolean => {
    if (!dialog.open || !dialog.matches(':modal')) return false;
    undoZoom();
    const root = host.parentElement?.parentElement;
    if (filtersTopLayer && root && getComputedStyle(root).filter !== 'none') return false;
    const box = dialog.getBoundingClientRect();
    const { left, top, right, bottom, width, height } = box;
    // `innerWidth` shrinks with pinch zoom, `clientWidth` excludes scroll bars.
    const pageWidth = Math.max(innerWidth, root?.clientWidth ?? 0);
    const pageHeight = Math.max(innerHeight, root?.clientHeight ?? 0);
    const expected = pageWidth < phoneWidth ? pageWidth : dialogWidth;
    if (Math.abs(width - expected) > expected / 10 || height < 8 * inset) return false;
    if (left < -1 || top < -1 || right > pageWidth + 1 || bottom > pageHeight + 1) return false;
    return cornersOf(box, inset).every(([x, y]) => elementAt(x, y) === host);
  };

  let wasShown = true;
  const measure = (): void => {
    const isShownNow = isShown();
    if (isShownNow !== wasShown) onChange(!isShownNow);
    wasShown = isShownNow;
  };
  measure();
  const timer = setInterval(measure, interval);
  signal.addEventListener('abort', () => clearInterval(timer));
  return isShown;
}
