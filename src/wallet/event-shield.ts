import { own } from '../rpc/own.js';

/** Events with which a page takes input from an element of the wallet, by preventing or stopping them. */
const shielded = [
  ...['keydown', 'keyup', 'keypress', 'beforeinput', 'input', 'paste', 'copy', 'cut'],
  ...['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'],
  ...['touchstart', 'touchmove', 'touchend', 'touchcancel', 'wheel'],
  ...['focusin', 'focusout', 'focus', 'blur'],
  ...['compositionstart', 'compositionupdate', 'compositionend', 'dragenter', 'dragover', 'drop'],
];

const noop = (): void => {};
const nothing = own({ value: noop, configurable: true });
const ignored = own({ get: noop, set: noop, configurable: true });
const empty = own({ value: '', configurable: true });
const zero = own({ value: 0, configurable: true });
const noData = own({ get: () => new DataTransfer(), configurable: true });

/** Shadows for the members of an event by which a listener changes its course or reads the input. */
const muted = own<Record<string, PropertyDescriptor>>({
  ...{ preventDefault: nothing, stopPropagation: nothing, stopImmediatePropagation: nothing },
  ...{ returnValue: ignored, cancelBubble: ignored },
  ...{ key: empty, code: empty, data: empty, keyCode: zero, charCode: zero, which: zero },
  ...{ clipboardData: noData, dataTransfer: noData },
});
const names = Object.keys(muted);

/** Takes the pointer from the element that the page has captured it for, which would get the click too. */
function releasePointer(host: Element, { pointerId }: PointerEvent): void {
  try {
    // Only the last one that captures it counts.
    host.setPointerCapture(pointerId);
    host.releasePointerCapture(pointerId);
  } catch {
    // A script has made the event, or the pointer is locked: nothing is captured.
  }
}

/** Windows that are shielded already. */
const windows = new WeakSet<Window>();

/**
 * Keeps the page's input handlers from the wallet's elements: `preventDefault` and `stopPropagation` have no effect on the
 * way to one, and the handlers see no keys and nothing pasted. A modal library or a game would otherwise take the letters of
 * a password, the scrolling of a phrase or Escape. It covers only listeners that are added later, so it is called when a
 * wallet is created. Events of other elements stay as they are.
 *
 * The browser calls the listeners of the window first, those of the page's elements next, then those of the wallet's
 * element, where the event is restored. So it stays the browser's own (`isTrusted`). It does not stop a hostile script.
 */
export function shieldEvents(): void {
  const page = globalThis.window as Window | undefined;
  if (!page?.addEventListener || windows.has(page)) return;
  windows.add(page);
  const onEvent = (event: Event): void => {
    const host = event
      .composedPath()
      .find((each) => each instanceof Element && each.hasAttribute('data-graft'));
    // Another copy of the wallet may have done it.
    if (!host || Object.hasOwn(event, 'preventDefault')) return;
    // Browsers have these members on the prototype; test environments define some of them on the event itself.
    const descriptors = names.map((name) => [name, Object.getOwnPropertyDescriptor(event, name)] as const);
    for (const name of names)
      if (name in event) Object.defineProperty(event, name, muted[name] as PropertyDescriptor);
    const unmute = (): void => {
      for (const [name, descriptor] of descriptors)
        if (descriptor) Object.defineProperty(event, name, own(descriptor));
        else Reflect.deleteProperty(event, name);
      if (event.type === 'pointerdown') releasePointer(host as Element, event as PointerEvent);
    };
    host.addEventListener(event.type, unmute, own({ capture: true, once: true }));
  };
  for (const type of shielded) page.addEventListener(type, onEvent, own({ capture: true, passive: true }));
}
