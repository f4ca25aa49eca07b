import { createRef, type RefObject } from 'preact';
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { own } from '../../rpc/own.js';
import { confirmDelay, dangerDelay, guardAgainstClickjacking } from '../dialog/clickjacking-guard.js';
import type { Obstacle } from '../dialog/sheet.js';
import { type Content, h } from '../h.js';
import { type Surface, SurfaceContext } from './surface.js';

/** A guarded button of the panel. */
export interface Guarded {
  readonly button: RefObject<HTMLButtonElement | null>;
  /** A `keydown` listener for the fields around it: Enter in a one-line field presses it. */
  onKeyDown(event: KeyboardEvent): void;
}

/** Lets the button act only when a person presses it on purpose. Whatever `content` changes, the delay starts again. */
export function useGuard(options: useGuard.Options): Guarded {
  const { act, isSevere, isBusy, content, moved } = own(options);
  const surface = useContext(SurfaceContext) as Surface;
  const button = useMemo(() => createRef<HTMLButtonElement>(), []);
  const guard = useRef<guardAgainstClickjacking.Guard>(undefined);
  const current = useRef(act);
  current.current = act;
  useLayoutEffect(() => {
    const element = button.current;
    if (!element) return;
    const mounted = new AbortController();
    const { signal } = mounted;
    const started = guardAgainstClickjacking(element, {
      delay: isSevere ? dangerDelay : confirmDelay,
      signal,
      isShown: () => surface.isShown(element),
      approve() {
        surface.acts();
        current.current();
      },
      area: element.parentElement ?? element,
      attention: surface.attention,
    });
    const onChange = () => {
      started.block('surface', surface.obstacle() !== null);
      started.restart();
    };
    surface.watch(onChange, signal);
    onChange();
    guard.current = started;
    return () => mounted.abort();
  }, [isSevere, content]);
  useLayoutEffect(() => guard.current?.block('busy', isBusy), [isBusy, isSevere, content]);
  useLayoutEffect(() => guard.current?.restart(), [moved]);
  return {
    button,
    onKeyDown(event) {
      const { target } = event;
      if (target instanceof HTMLInputElement && /^(?:text|password)$/.test(target.type))
        guard.current?.submitOnEnter(event);
    },
  };
}

export declare namespace useGuard {
  interface Options {
    readonly act: () => void;
    readonly isSevere: boolean;
    readonly isBusy: boolean;
    /** Compared with the one before. */
    readonly content?: unknown;
    /** The same, for what moves the button and is no content of its own. */
    readonly moved?: unknown;
  }
}

/** A button for what a person must not do by mistake, or because a page has led the click there. */
export function GuardedButton({
  label,
  act,
  isSevere,
  isBusy,
  ...attributes
}: GuardedButton.Properties): Content {
  // The same button may come to stand for the next item of a list.
  const content = attributes['aria-label'];
  const { button } = useGuard({ act, isSevere: isSevere ?? false, isBusy: isBusy ?? false, content });
  return (
    <button type="button" {...attributes} ref={button}>
      {label}
    </button>
  );
}

export declare namespace GuardedButton {
  interface Properties {
    readonly label: Content;
    readonly act: () => void;
    /** It cannot be undone, so it waits for longer. */
    readonly isSevere?: boolean;
    readonly isBusy?: boolean;
    readonly class?: string;
    readonly 'aria-label'?: string;
  }
}

/** The obstacle that keeps the panel from being seen, or `null`. Re-renders on changes. */
export function useObstacle(): Obstacle | null {
  const surface = useContext(SurfaceContext) as Surface;
  const [obstacle, set] = useState(surface.obstacle());
  useLayoutEffect(() => {
    const mounted = new AbortController();
    surface.watch(() => set(surface.obstacle()), mounted.signal);
    set(surface.obstacle());
    return () => mounted.abort();
  }, []);
  return obstacle;
}
