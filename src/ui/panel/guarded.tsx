import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { own } from '../../rpc/own.js';
import { confirmDelay, dangerDelay, guardAgainstClickjacking } from '../dialog/clickjacking-guard.js';
import type { Obstacle } from '../dialog/sheet.js';
import { type Content, h } from '../h.js';
import { SurfaceContext } from './surface.js';

/** Lets the button act only when a person presses it on purpose. Whatever `content` changes, the delay starts again. */
export function useGuard(options: useGuard.Options) {
  const { act, isSevere, isBusy, content, moved } = own(options);
  const surface = useContext(SurfaceContext);
  const button = useRef<HTMLButtonElement>(null);
  const guard = useRef<ReturnType<typeof guardAgainstClickjacking>>(undefined);
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
    /** A `keydown` listener for the fields around it: Enter in a one-line field presses it. */
    onKeyDown(event: KeyboardEvent): void {
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
    readonly content?: unknown | undefined;
    /** The same, for what moves the button and is no content of its own. */
    readonly moved?: unknown | undefined;
  }
}

/** A button for what a person must not do by mistake, or because a page has led the click there. */
export function GuardedButton({
  label,
  act,
  isSevere = false,
  isBusy = false,
  ...attributes
}: ButtonProperties): Content {
  // The same button may come to stand for the next item of a list.
  const { button } = useGuard({ act, isSevere, isBusy, content: attributes['aria-label'] });
  return (
    <button type="button" {...attributes} ref={button}>
      {label}
    </button>
  );
}

interface ButtonProperties {
  readonly label: Content;
  readonly act: () => void;
  /** It cannot be undone, so it waits for longer. */
  readonly isSevere?: boolean | undefined;
  readonly isBusy?: boolean | undefined;
  readonly class?: string | undefined;
  readonly 'aria-label'?: string | undefined;
}

/** The obstacle that keeps the panel from being seen, or `null`. Re-renders on changes. */
export function useObstacle(): Obstacle | null {
  const surface = useContext(SurfaceContext);
  const [obstacle, set] = useState(surface.obstacle());
  useLayoutEffect(() => {
    const mounted = new AbortController();
    surface.watch(() => set(surface.obstacle()), mounted.signal);
    set(surface.obstacle());
    return () => mounted.abort();
  }, []);
  return obstacle;
}
