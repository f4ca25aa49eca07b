// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmDelay, dangerDelay, guardConfirm } from '../../../src/ui/guard.js';

let button: HTMLButtonElement;
let isShown: boolean;
let approve: ReturnType<typeof vi.fn<() => void>>;
let ended: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  button = document.createElement('button');
  document.body.append(button);
  isShown = true;
  approve = vi.fn<() => void>();
  ended = new AbortController();
});

afterEach(() => {
  ended.abort();
  document.body.replaceChildren();
  vi.useRealTimers();
});

function guarded(delay = confirmDelay) {
  const guard = guardConfirm(button, { delay, signal: ended.signal, isShown: () => isShown, approve });
  guard.restart();
  return guard;
}

/** As the browser would send it for a person. */
function real<E extends Event>(event: E): E {
  Object.defineProperty(event, 'isTrusted', { value: true });
  return event;
}

const press = () => button.dispatchEvent(real(new MouseEvent('pointerdown', { bubbles: true })));
const click = () => button.dispatchEvent(real(new MouseEvent('click', { bubbles: true })));
const key = (name: string, repeat = false) =>
  real(new KeyboardEvent('keydown', { key: name, repeat, bubbles: true, cancelable: true }));
const enabled = () => button.getAttribute('aria-disabled') === 'false';

describe('guardConfirm', () => {
  test('default', () => {
    guarded();
    expect(enabled()).toBe(false);
    vi.advanceTimersByTime(confirmDelay);
    expect(enabled()).toBe(true);
    press();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('delay', () => {
    guarded(dangerDelay);
    vi.advanceTimersByTime(dangerDelay - 1);
    expect(enabled()).toBe(false);
    press();
    click();
    vi.advanceTimersByTime(1);
    expect(enabled()).toBe(true);
    expect(approve).not.toHaveBeenCalled();
  });

  test('a click without a press of the same button means nothing', () => {
    guarded();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('a press counts once', () => {
    guarded();
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a press before the delay ended does not count after it', () => {
    guarded();
    press();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('a press before a change of content does not count after it', () => {
    const guard = guarded();
    vi.advanceTimersByTime(confirmDelay);
    press();
    guard.restart();
    vi.advanceTimersByTime(confirmDelay);
    click();
    expect(approve).not.toHaveBeenCalled();
  });

  test('neither scripted presses nor scripted clicks count', () => {
    guarded();
    vi.advanceTimersByTime(confirmDelay);
    button.dispatchEvent(new MouseEvent('pointerdown'));
    click();
    press();
    button.dispatchEvent(new MouseEvent('click'));
    expect(approve).not.toHaveBeenCalled();
  });

  test('Enter and Space press, Enter not in the first second and not while held', () => {
    guarded();
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

  test('Enter in a field obeys the same conditions', () => {
    const guard = guarded(dangerDelay);
    vi.advanceTimersByTime(1500);
    guard.enter(key('Enter'));
    expect(approve).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    guard.enter(new KeyboardEvent('keydown', { key: 'Enter' }));
    guard.enter(key('a'));
    expect(approve).not.toHaveBeenCalled();
    guard.enter(key('Enter'));
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('it is held for as long as any reason holds', () => {
    const guard = guarded();
    guard.hold('a', true);
    guard.hold('b', true);
    vi.advanceTimersByTime(confirmDelay);
    guard.hold('a', false);
    press();
    click();
    expect([enabled(), approve.mock.calls.length]).toEqual([false, 0]);
    guard.hold('b', false);
    press();
    click();
    expect([enabled(), approve.mock.calls.length]).toEqual([true, 1]);
  });

  test('nothing counts while the dialog is not shown as it was made, at the press or at the click', () => {
    const guard = guarded();
    vi.advanceTimersByTime(confirmDelay + 400);
    isShown = false;
    press();
    isShown = true;
    click();
    press();
    isShown = false;
    click();
    guard.enter(key('Enter'));
    expect(approve).not.toHaveBeenCalled();
    isShown = true;
    press();
    click();
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('a hidden page confirms nothing, and a shown one waits again', () => {
    let visibility = 'hidden';
    const spy = vi
      .spyOn(Object.getPrototypeOf(document), 'visibilityState', 'get')
      .mockImplementation(() => visibility as 'hidden');
    guarded();
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

  test('afterwards nothing is left running', () => {
    guarded();
    ended.abort();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(confirmDelay);
    press();
    click();
    expect(approve).not.toHaveBeenCalled();
  });
});
