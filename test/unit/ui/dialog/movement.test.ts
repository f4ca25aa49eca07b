// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchMovement } from '../../../../src/ui/dialog/movement.js';

let moves = 0;
let aborter: AbortController;
beforeEach(() => {
  moves = 0;
  aborter = new AbortController();
  watchMovement(() => moves++, aborter.signal);
});
afterEach(() => aborter.abort());

interface Place {
  readonly screenX: number;
  readonly screenY: number;
  readonly clientX: number;
  readonly clientY: number;
}

/** An event of the mouse at a place of the screen, in a frame whose corner is at `corner`. */
function point(type: string, [x, y]: [x: number, y: number], corner = 0, more: PointerEventInit = {}): void {
  const place: Place = { screenX: x, screenY: y, clientX: x - corner, clientY: y - corner };
  window.dispatchEvent(new PointerEvent(type, { pointerType: 'mouse', ...place, ...more }));
}

test('a mouse that comes into the frame and moves in it counts once', () => {
  point('pointerover', [100, 100]);
  for (const step of [10, 50, 51]) point('pointermove', [100 + step, 100 + step]);
  point('pointerdown', [151, 151]);
  expect(moves).toBe(1);
});

test('a frame that moves under a resting mouse counts, also when only the press shows it', () => {
  point('pointermove', [100, 100]);
  point('pointermove', [100, 100], 30);
  expect(moves).toBe(2);
  point('pointerdown', [100, 100], 60);
  expect(moves).toBe(3);
});

test('a page that is zoomed does not: both places change together', () => {
  point('pointermove', [100, 100]);
  window.dispatchEvent(
    new PointerEvent('pointermove', {
      ...{ pointerType: 'mouse', screenX: 200, screenY: 200, clientX: 50, clientY: 50 },
    }),
  );
  expect(moves).toBe(1);
});

test('a mouse that has left counts again when it comes back, and a finger never', () => {
  point('pointermove', [100, 100]);
  point('pointerout', [100, 100], 0, { relatedTarget: null });
  point('pointermove', [100, 100]);
  expect(moves).toBe(2);
  point('pointerdown', [300, 300], 50, { pointerType: 'touch' });
  expect(moves).toBe(2);
});
