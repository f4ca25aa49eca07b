import { own } from '../../rpc/own.js';

/** CSS pixels by which two places that are the same may differ, since browsers round them. */
const tolerance = 2;
/** Screen pixels for a CSS pixel, at the zoom levels of browsers at which a dialog can be read. */
const zooms = [1 / 2, 2 / 3, 3 / 4, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5];

type Place = Pick<PointerEvent, 'screenX' | 'screenY' | 'clientX' | 'clientY'>;

/**
 * Calls `onMove` when a pointer comes into this frame, and when the frame has moved under it: an embedding page may slide
 * the button under a press that is meant for something else. No observer reports that a frame has moved.
 *
 * A place on the screen and the same place in the frame must keep their distance since the last call, at one of the zoom
 * levels. Steps of any size add up, because nothing is compared with the event before. A finger does not hover: its first
 * touch is one that comes in.
 */
export function watchMovement(onMove: () => void, signal: AbortSignal): void {
  let first: Place | null = null;
  let possible = zooms;
  const onPointer = (event: PointerEvent): void => {
    const isGone = event.type === 'pointerout';
    if (isGone && (event.relatedTarget !== null || event.pointerType === 'touch')) return;
    if (isGone) {
      first = null;
      return;
    }
    const start = first;
    possible = start === null ? [] : possible.filter((zoom) => isAtRest(start, event, zoom));
    if (possible.length > 0) return;
    possible = zooms;
    first = event;
    onMove();
  };
  for (const type of ['pointerover', 'pointermove', 'pointerdown', 'pointerup', 'pointerout'] as const)
    window.addEventListener(type, onPointer, own({ signal, capture: true }));
}

const isAtRest = (before: Place, now: Place, zoom: number): boolean =>
  isSame(now.clientX - before.clientX, (now.screenX - before.screenX) / zoom, zoom) &&
  isSame(now.clientY - before.clientY, (now.screenY - before.screenY) / zoom, zoom);

const isSame = (a: number, b: number, zoom: number): boolean =>
  Math.abs(a - b) <= tolerance / Math.min(zoom, 1);
