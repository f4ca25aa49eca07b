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
      ...{ pointerType: 'mouse', screenX: 200, screenY: 200, clientX: 150, clientY: 150 },
    }),
  );
  expect(moves).toBe(1);
});

test('a mouse that has left counts again when it comes back', () => {
  point('pointermove', [100, 100]);
  point('pointerout', [100, 100], 0, { relatedTarget: null });
  point('pointermove', [100, 100]);
  expect(moves).toBe(2);
});

test('small steps add up, whether the mouse rests or moves with them', () => {
  for (const isResting of [true, false]) {
    point('pointerout', [0, 0], 0, { relatedTarget: null });
    point('pointermove', [100, 100]);
    const before = moves;
    const at = (step: number) => (isResting ? 100 : 100 + 7 * step);
    for (let step = 1; step <= 2; step++) point('pointermove', [at(step), 100], step);
    expect(moves).toBe(before);
    point('pointermove', [at(5), 100], 5);
    expect(moves).toBe(before + 1);
  }
});

test('the first touch counts, as its place was unknown, and a later one when the frame has moved since', () => {
  const touch = { pointerType: 'touch' };
  const tap = (place: [number, number], corner: number) => {
    for (const type of ['pointerover', 'pointerdown', 'pointerup']) point(type, place, corner, touch);
    point('pointerout', place, corner, { ...touch, relatedTarget: null });
  };
  tap([300, 300], 50);
  expect(moves).toBe(1);
  tap([120, 480], 50);
  expect(moves).toBe(1);
  tap([120, 480], 90);
  expect(moves).toBe(2);
});

test('a frame that slides under a resting finger counts when the finger is lifted', () => {
  const touch = { pointerType: 'touch' };
  point('pointerdown', [300, 300], 0, touch);
  point('pointerup', [300, 300], 40, touch);
  expect(moves).toBe(2);
});

test('at every zoom level of a browser a frame at rest is at rest, and one that drifts is not', () => {
  for (const zoom of [0.5, 2 / 3, 0.9, 1, 1.1, 1.75, 2.5, 5]) {
    point('pointerout', [0, 0], 0, { relatedTarget: null });
    const zoomed = (x: number, drift = 0) =>
      window.dispatchEvent(
        new PointerEvent('pointermove', {
          ...{ pointerType: 'mouse', screenX: x, screenY: x },
          ...{ clientX: Math.round(x / zoom) + drift, clientY: Math.round(x / zoom) + drift },
        }),
      );
    zoomed(0);
    const atRest = moves;
    for (let x = 37; x <= 600; x += 37) zoomed(x);
    expect([zoom, moves]).toEqual([zoom, atRest]);
    zoomed(600, 5);
    expect([zoom, moves]).toEqual([zoom, atRest + 1]);
  }
});
