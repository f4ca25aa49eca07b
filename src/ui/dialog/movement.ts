import { own } from '../../rpc/own.js';

/** CSS pixels by which a resting mouse may differ between two events. */
const tolerance = 2;

/**
 * Calls `onMove` when a mouse comes into this frame, and when the frame has moved under a mouse that rests: an embedding
 * page may slide the button under a click that is meant for something else. No observer reports that a frame has moved.
 */
export function watchMovement(onMove: () => void, signal: AbortSignal): void {
  let last: PointerEvent | null = null;
  const onPointer = (event: PointerEvent): void => {
    if (event.pointerType !== 'mouse') return;
    const isLeaving = event.type === 'pointerout' && event.relatedTarget === null;
    const hasMoved =
      last === null ||
      (isSame(event.screenX, last.screenX) &&
        isSame(event.screenY, last.screenY) &&
        !(isSame(event.clientX, last.clientX) && isSame(event.clientY, last.clientY)));
    if (hasMoved && !isLeaving) onMove();
    last = isLeaving ? null : event;
  };
  for (const type of ['pointerover', 'pointermove', 'pointerdown', 'pointerout'] as const)
    window.addEventListener(type, onPointer, own({ signal, capture: true }));
}

const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= tolerance;
