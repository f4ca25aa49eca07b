// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  confirmDelay,
  dangerDelay,
  guardAgainstClickjacking,
} from '../../../../src/ui/dialog/clickjacking-guard.js';

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

function startGuard(delay = confirmDelay) {
  const guard = guardAgainstClickjacking(button, {
    delay,
    signal: aborter.signal,
    isShown: () => isShown,
    approve,
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
    press();
    click();
    vi.advanceTimersByTime(1);
    expect(enabled()).toBe(true);
    expect(approve).not.toHaveBeenCalled();
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

  test('Enter and Space press the button, but Enter is ignored in the first second and while it repeats', () => {
    startGuard();
    vi.advanceTimersByTime(confirmDelay);
    const early = key('Enter');
    button.dispatchEvent(early);
    expect(early.defaultPrevented).toBe(true);
    vi.advanceTimersByTime(400);
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

  test('Enter in a text field approves under the same conditions', () => {
    const guard = startGuard(dangerDelay);
    vi.advanceTimersByTime(1500);
    guard.submitOnEnter(key('Enter'));
    expect(approve).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
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
