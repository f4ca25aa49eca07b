// @vitest-environment happy-dom

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Attention, attentionInterval, createAttention } from '../../../../src/ui/dialog/attention.js';
import {
  confirmDelay,
  dangerDelay,
  guardAgainstClickjacking,
} from '../../../../src/ui/dialog/clickjacking-guard.js';
import { fc } from '../../../support/property.js';

let button: HTMLButtonElement;
let isShown: boolean;
let approve: ReturnType<typeof vi.fn<() => void>>;
let aborter: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  button = document.createElement('button');
  document.body.append(button);
  isShown = true;
  approve = vi.fn<() => void>();
  aborter = new AbortController();
});

afterEach(() => {
  aborter.abort();
  document.body.replaceChildren();
  vi.useRealTimers();
});

function startGuard(delay = confirmDelay, more: { area?: HTMLElement; attention?: Attention } = {}) {
  const guard = guardAgainstClickjacking(button, {
    delay,
    signal: aborter.signal,
    isShown: () => isShown,
    approve,
    ...more,
  });
  guard.restart();
  return guard;
}

/** Marks an event as caused by a person. */
function trusted<E extends Event>(event: E): E {
  Object.defineProperty(event, 'isTrusted', { value: true });
  return event;
}

const press = () => button.dispatchEvent(trusted(new MouseEvent('pointerdown', { bubbles: true })));
const click = () => button.dispatchEvent(trusted(new MouseEvent('click', { bubbles: true })));
const mouse = (type: string) => button.dispatchEvent(trusted(new MouseEvent(type, { bubbles: true })));
const key = (name: string, repeat = false) =>
  trusted(new KeyboardEvent('keydown', { key: name, repeat, bubbles: true, cancelable: true }));
const enabled = () => button.getAttribute('aria-disabled') === 'false';

describe('guardAgainstClickjacking', () => {
  test('a press and click after the delay approves once', () => {
    startGuard();
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(confirmDelay);
    expect(enabled()).toBe(true);
    press();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('the button is disabled until exactly the delay has passed', () => {
    startGuard(dangerDelay);
    vi.advanceTimersByTime(dangerDelay - 1);
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(enabled()).toBe(true);
  });

  test.each(['pointerdown', 'mousedown', 'touchstart', 'Enter', ' '])(
    'a press that comes too early starts the delay again: %s',
    (kind) => {
      startGuard();
      vi.advanceTimersByTime(confirmDelay - 1);
      button.dispatchEvent(kind.length > 5 ? trusted(new MouseEvent(kind, { bubbles: true })) : key(kind));
      click();
      vi.advanceTimersByTime(confirmDelay - 1);
      expect(enabled()).toBe(false);
      vi.advanceTimersByTime(1);
      expect(enabled()).toBe(true);
      click();
      expect(approve).not.toHaveBeenCalled();
    },
  );

  test('a series of clicks that began before the dialog never approves, at whichever pace below the delay', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: confirmDelay - 1 }), { maxLength: 20 }), (pauses) => {
        startGuard();
        for (const pause of pauses) {
          vi.advanceTimersByTime(pause);
          press();
          mouse('mousedown');
          mouse('pointerup');
          click();
        }
        expect(approve).not.toHaveBeenCalled();
      }),
      { seed: 11, numRuns: 60 },
    );
  });

  test('a key that is held on a disabled button starts the delay again at each repetition', () => {
    startGuard(dangerDelay);
    for (let count = 0; count < 5; count++) {
      vi.advanceTimersByTime(dangerDelay - 1);
      button.dispatchEvent(key('Enter', true));
    }
    vi.advanceTimersByTime(dangerDelay - 1);
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(enabled()).toBe(true);
  });

  test('a series of keys never approves, on the button or in a field, at any pace faster than one a second', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('Enter', ' ', 'field')), {
          maxLength: 20,
        }),
        fc.constantFrom(confirmDelay, dangerDelay),
        (presses, delay) => {
          aborter.abort();
          aborter = new AbortController();
          const guard = startGuard(delay);
          for (const [pause, name] of presses) {
            vi.advanceTimersByTime(pause);
            if (name === 'field') guard.submitOnEnter(key('Enter'));
            else {
              button.dispatchEvent(key(name));
              click();
            }
          }
          expect(approve).not.toHaveBeenCalled();
        },
      ),
      { seed: 12, numRuns: 100 },
    );
  });

  test('a press beside the button, in its area, starts the delay again', () => {
    const area = document.createElement('div');
    const beside = document.createElement('span');
    document.body.append(area);
    area.append(beside, button);
    startGuard(confirmDelay, { area });
    vi.advanceTimersByTime(confirmDelay - 1);
    beside.dispatchEvent(trusted(new MouseEvent('pointerdown', { bubbles: true })));
    vi.advanceTimersByTime(1);
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(confirmDelay);
    beside.dispatchEvent(trusted(new MouseEvent('pointerdown', { bubbles: true })));
    expect(enabled()).toBe(true);
  });

  test('a touch that began before the dialog opened, or too early, approves nothing when it is lifted', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    for (const type of ['pointerup', 'touchend', 'mousedown', 'click']) mouse(type);
    expect(approve).not.toHaveBeenCalled();
    aborter.abort();
    aborter = new AbortController();
    startGuard();
    press();
    vi.advanceTimersByTime(confirmDelay);
    for (const type of ['pointerup', 'touchend', 'mousedown', 'click']) mouse(type);
    expect(approve).not.toHaveBeenCalled();
    vi.advanceTimersByTime(confirmDelay);
    for (const type of ['pointerdown', 'pointerup', 'touchend', 'mousedown', 'click']) mouse(type);
    expect(approve).toHaveBeenCalled();
  });

  describe('events that a busy page handles late', () => {
    /** An event that a person caused this many milliseconds ago, by the browser's account. */
    const late = <E extends Event>(event: E, milliseconds: number): E =>
      Object.defineProperty(trusted(event), 'timeStamp', { value: performance.now() - milliseconds });
    const lateMouse = (type: string, milliseconds: number) =>
      button.dispatchEvent(late(new MouseEvent(type, { bubbles: true }), milliseconds));

    test.each([
      [confirmDelay, 'pointerdown'],
      [confirmDelay, 'mousedown'],
      [dangerDelay, 'pointerdown'],
      [dangerDelay, 'mousedown'],
    ])('a press counts from when it was made: %i ms, %s', (delay, type) => {
      startGuard(delay);
      vi.advanceTimersByTime(delay + 5_000);
      lateMouse(type, 5_000 + 150);
      click();
      expect([approve.mock.calls.length, enabled()]).toEqual([0, false]);
      vi.advanceTimersByTime(delay + 5_000);
      lateMouse(type, 5_000);
      click();
      expect(approve).toHaveBeenCalledTimes(1);
    });

    test('a key counts from when it was made, on the button and in a field', () => {
      const guard = startGuard();
      const early = () => late(key('Enter'), 5_000);
      for (const act of [() => button.dispatchEvent(early()), () => guard.submitOnEnter(early())]) {
        vi.advanceTimersByTime(5_900);
        act();
        click();
        expect(approve).not.toHaveBeenCalled();
      }
      vi.advanceTimersByTime(6_000);
      guard.submitOnEnter(early());
      expect(approve).toHaveBeenCalledTimes(1);
    });

    test('a press after the delay approves, whatever was pressed before it and is handled late', () => {
      const ages = fc.array(fc.tuple(fc.nat(3_000), fc.nat(3_000)), { maxLength: 10 });
      fc.assert(
        fc.property(ages, (presses) => {
          aborter.abort();
          aborter = new AbortController();
          approve.mockClear();
          vi.advanceTimersByTime(10_000);
          startGuard();
          let shownAt = performance.now();
          for (const [pause, age] of presses) {
            vi.advanceTimersByTime(pause);
            const pressedAt = performance.now() - age;
            lateMouse('pointerdown', age);
            click();
            // Browsers round times, by less than 100 ms.
            if (approve.mock.calls.length > 0)
              expect(pressedAt - shownAt).toBeGreaterThanOrEqual(confirmDelay - 100);
            if (approve.mock.calls.length === 0) shownAt = performance.now();
            approve.mockClear();
          }
          vi.advanceTimersByTime(confirmDelay);
          lateMouse('pointerdown', 0);
          click();
          expect(approve).toHaveBeenCalledTimes(1);
        }),
        { seed: 13, numRuns: 100 },
      );
    });

    test.each([
      ['in the future', () => performance.now() + 1],
      ['an hour ago', () => performance.now() - 3_600_000],
    ])('a time that no press can have is not believed: %s', (_, timeOf) => {
      startGuard();
      vi.advanceTimersByTime(confirmDelay);
      const event = trusted(new MouseEvent('pointerdown'));
      button.dispatchEvent(Object.defineProperty(event, 'timeStamp', { value: timeOf() }));
      click();
      expect(approve).toHaveBeenCalledTimes(1);
    });
  });

  test('assistive technology that sends mouse events without pointer events can press it', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    for (const type of ['mousedown', 'mouseup', 'click']) mouse(type);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a click without a preceding press of the same button is ignored', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('a press is good for one click', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a press before the end of the delay does not approve after it', () => {
    startGuard();
    press();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('a press before a change of content does not approve after it', () => {
    const guard = startGuard();
    vi.advanceTimersByTime(confirmDelay);
    press();
    guard.restart();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('scripted presses and scripted clicks are ignored', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    button.dispatchEvent(new MouseEvent('pointerdown'));
    click();
    press();
    button.dispatchEvent(new MouseEvent('click'));
    expect(approve).not.toHaveBeenCalled();
  });

  test('Enter and Space press the button, but are ignored in the first second and while they repeat', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    const early = key('Enter');
    button.dispatchEvent(early);
    expect(early.defaultPrevented).toBe(true);
    vi.advanceTimersByTime(1_000);
    const held = key('Enter', true);
    button.dispatchEvent(held);
    expect(held.defaultPrevented).toBe(true);
    click();
    expect(approve).not.toHaveBeenCalled();
    for (const name of ['Enter', ' ']) {
      button.dispatchEvent(key(name));
      click();
    }
    expect(approve).toHaveBeenCalledTimes(2);
  });

  test('Space that was pressed too early, or held since before, presses nothing', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    button.dispatchEvent(key(' '));
    click();
    vi.advanceTimersByTime(1_000);
    for (let count = 0; count < 5; count++) button.dispatchEvent(key(' ', true));
    click();
    expect(approve).not.toHaveBeenCalled();
    // Held from its first press on, it presses once.
    button.dispatchEvent(key(' '));
    button.dispatchEvent(key(' ', true));
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  describe('a button that is elsewhere than when it was pressed', () => {
    const put = (left: number, width = 100) => {
      button.getBoundingClientRect = () => ({ left, top: 10, right: left + width, bottom: 50 }) as DOMRect;
    };
    beforeEach(() => put(0));

    test('takes no click there, though the press was where it was', () => {
      startGuard();
      vi.advanceTimersByTime(confirmDelay);
      press();
      put(20);
      click();
      expect(approve).not.toHaveBeenCalled();
    });

    test('may be drawn smaller while it is pressed', () => {
      startGuard();
      vi.advanceTimersByTime(confirmDelay);
      press();
      put(4, 92);
      click();
      expect(approve).toHaveBeenCalledTimes(1);
    });
  });

  test('Enter in a text field approves under the same conditions', () => {
    const guard = startGuard(dangerDelay);
    vi.advanceTimersByTime(1500);
    guard.submitOnEnter(key('Enter'));
    expect(approve).not.toHaveBeenCalled();
    vi.advanceTimersByTime(dangerDelay);
    guard.submitOnEnter(new KeyboardEvent('keydown', { key: 'Enter' }));
    guard.submitOnEnter(key('a'));
    expect(approve).not.toHaveBeenCalled();
    guard.submitOnEnter(key('Enter'));
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('the button is disabled while any reason blocks it', () => {
    const guard = startGuard();
    guard.block('a', true);
    guard.block('b', true);
    vi.advanceTimersByTime(confirmDelay);
    guard.block('a', false);
    press();
    click();
    expect([enabled(), approve.mock.calls.length]).toEqual([false, 0]);
    guard.block('b', false);
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    expect([enabled(), approve.mock.calls.length]).toEqual([true, 1]);
  });

  test('a press or a click while the dialog is covered or distorted is ignored', () => {
    const guard = startGuard();
    vi.advanceTimersByTime(confirmDelay + 400);
    isShown = false;
    press();
    isShown = true;
    click();
    press();
    isShown = false;
    click();
    guard.submitOnEnter(key('Enter'));
    expect(approve).not.toHaveBeenCalled();
    isShown = true;
    press();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a hidden page approves nothing, and the delay starts again when it becomes visible', () => {
    let visibility = 'hidden';
    const spy = vi
      .spyOn(Object.getPrototypeOf(document), 'visibilityState', 'get')
      .mockImplementation(() => visibility as 'hidden');
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    expect(approve).not.toHaveBeenCalled();
    visibility = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
    spy.mockRestore();
  });

  test('aborting the signal removes every listener and timer', () => {
    startGuard();
    aborter.abort();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    expect(approve).not.toHaveBeenCalled();
  });
});

describe('a window that a person may not look at', () => {
  let focused: boolean;
  const put = (name: string, value: number) => {
    Object.defineProperty(window, name, { value, configurable: true, writable: true });
  };
  const atFirst = { screenX: 0, screenY: 0, innerWidth: 1024, innerHeight: 768, devicePixelRatio: 1 };
  beforeEach(() => {
    focused = true;
    vi.spyOn(Object.getPrototypeOf(document), 'hasFocus').mockImplementation(() => focused);
    for (const [name, value] of Object.entries(atFirst)) put(name, value);
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(atFirst)) put(name, value);
    vi.restoreAllMocks();
  });
  const pressAndClick = () => {
    press();
    click();
    return approve.mock.calls.length;
  };

  test('time counts only with the focus, and the delay starts again when it comes', () => {
    focused = false;
    startGuard();
    vi.advanceTimersByTime(60_000);
    expect(enabled()).toBe(false);
    focused = true;
    window.dispatchEvent(new Event('focus'));
    vi.advanceTimersByTime(confirmDelay - 1);
    expect(pressAndClick()).toBe(0);
    vi.advanceTimersByTime(confirmDelay);
    expect(pressAndClick()).toBe(1);
  });

  test('the second click of a double click that brings the window to the front approves nothing', () => {
    focused = false;
    startGuard();
    vi.advanceTimersByTime(5_000);
    focused = true;
    // Neither an event nor a measurement has come in between.
    expect(pressAndClick()).toBe(0);
    vi.advanceTimersByTime(16);
    expect(pressAndClick()).toBe(0);
  });

  test('a focus that went and came back between two measurements starts the delay again', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    window.dispatchEvent(new Event('focus'));
    expect(enabled()).toBe(false);
  });

  test('a window that loses the focus between press and release approves nothing', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    press();
    focused = false;
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test.each([
    ['screenX', 1],
    ['screenY', 1],
    ['outerWidth', 1023],
    ['outerHeight', 800],
    ['innerWidth', 1023],
    ['innerHeight', 767],
    ['devicePixelRatio', 1.1],
  ])('the delay starts again when %s changes, however little', (name, value) => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    put(name, value);
    expect(pressAndClick()).toBe(0);
    vi.advanceTimersByTime(confirmDelay - 1);
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(pressAndClick()).toBe(1);
  });

  test('a window that drifts by single pixels is never enabled for as long as it does', () => {
    startGuard();
    for (let step = 1; step < 50; step++) {
      put('screenX', step);
      vi.advanceTimersByTime(attentionInterval);
      expect(enabled()).toBe(false);
    }
  });

  test('a window smaller than 360 × 480 approves nothing, for as long as it is', () => {
    for (const [width, height] of [
      [359, 800],
      [800, 479],
    ] as const) {
      put('innerWidth', width);
      put('innerHeight', height);
      startGuard();
      vi.advanceTimersByTime(60_000);
      expect([enabled(), pressAndClick()]).toEqual([false, 0]);
    }
    put('innerWidth', 360);
    put('innerHeight', 480);
    window.dispatchEvent(new Event('resize'));
    vi.advanceTimersByTime(confirmDelay);
    expect(pressAndClick()).toBe(2);
  });

  test('a window that still knows its opener, or must be larger, takes no press below that size', () => {
    put('innerWidth', 330);
    vi.stubGlobal('menubar', { visible: true });
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    expect(pressAndClick()).toBe(1);
    aborter.abort();
    aborter = new AbortController();
    startGuard(confirmDelay, { attention: createAttention({ width: 360, height: 480 }) });
    vi.advanceTimersByTime(60_000);
    expect([enabled(), pressAndClick()]).toEqual([false, 1]);
    aborter.abort();
    aborter = new AbortController();
    vi.stubGlobal('opener', {});
    startGuard();
    vi.advanceTimersByTime(60_000);
    expect([enabled(), pressAndClick()]).toEqual([false, 1]);
    vi.unstubAllGlobals();
  });

  test('it is measured at most five times a second, for any number of buttons, and not after the last has gone', () => {
    const { hasFocus } = document;
    const attention = createAttention();
    for (let count = 0; count < 20; count++) startGuard(confirmDelay, { attention });
    vi.mocked(hasFocus).mockClear();
    vi.advanceTimersByTime(10_000);
    expect(vi.mocked(hasFocus).mock.calls.length).toBeLessThanOrEqual(10_000 / attentionInterval);
    vi.mocked(hasFocus).mockClear();
    aborter.abort();
    vi.advanceTimersByTime(10_000);
    expect(vi.mocked(hasFocus)).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
