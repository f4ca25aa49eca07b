import { createContext } from 'preact';
import { own } from '../../rpc/own.js';
import { type Attention, createAttention } from '../dialog/attention.js';
import { detectOcclusionSupport } from '../dialog/occlusion-support.js';
import type { Obstacle } from '../dialog/sheet.js';
import { cornersOf, elementAt } from '../elements.js';

/** The place where a panel is drawn, as its buttons need to know it. */
export interface Surface {
  /** Whether a window is in front, large enough and at rest. Default: each button measures by itself. */
  readonly attention?: Attention | undefined;
  /** Measures now whether this button, and what it belongs to, is in view, uncovered and undistorted. */
  isShown(button: Element): boolean;
  /** The obstacle that keeps the panel from being seen, or `null`. */
  obstacle(): Obstacle | null;
  /** Calls `listener` when the obstacle has changed, the panel has moved, or one of its buttons has acted. */
  watch(listener: () => void, signal: AbortSignal): void;
  /** Reports that a button acts: what it changes may put another one in its place. */
  acts(): void;
}

export const SurfaceContext = createContext<Surface>({
  isShown: () => true,
  obstacle: () => null,
  watch() {},
  acts() {},
});

/** A surface, and the functions that report what happens to it. */
export function createSurface(isShown: Surface['isShown'], attention: Attention) {
  const obstacles = new Set<Obstacle>();
  const listeners = new Set<() => void>();
  const report = () => {
    for (const listener of [...listeners]) listener();
  };
  const surface: Surface = {
    attention,
    isShown,
    obstacle: () => [...obstacles][0] ?? null,
    watch(listener, signal) {
      listeners.add(listener);
      signal.addEventListener('abort', () => listeners.delete(listener));
    },
    acts: report,
  };
  return {
    surface,
    blocked(reason: Obstacle, isBlocked: boolean): void {
      if (isBlocked) obstacles.add(reason);
      else obstacles.delete(reason);
      report();
    },
    moved: report,
  };
}

/** The surface of a panel that stays on the page. In a frame of another page nothing can be confirmed on it. */
export function createInlineSurface(host: HTMLElement, signal: AbortSignal): Surface {
  const attention = createAttention();
  const isShown = (button: Element) => isBroughtIntoView(button) && isUncovered(button, host);
  const { surface, blocked } = createSurface(isShown, attention);
  // Nothing is measured from time to time unless a button waits to be pressed.
  const measureSize = () => blocked('size', attention.missing() === 'size');
  window.addEventListener('resize', measureSize, own({ signal }));
  measureSize();
  if (detectOcclusionSupport().isFramed) blocked('covered', true);
  return surface;
}

/** CSS pixels between an edge of a button and a tested point, so that the point lies inside the rounded corner. */
const inset = 6;

/**
 * Whether the row of the button is in the viewport, up to what {@link isUncovered} does not test either; else scrolls it there,
 * for the next press. Browsers scroll by whole pixels, so a row at an edge of the viewport may lack a part of one.
 */
function isBroughtIntoView(button: Element): boolean {
  const row = rowOf(button);
  const { left, top, right, bottom } = row.getBoundingClientRect();
  const isInView = Math.min(left, top) > -inset && right < innerWidth + inset && bottom < innerHeight + inset;
  if (!isInView)
    row.scrollIntoView(
      own<ScrollIntoViewOptions>({ block: 'center', inline: 'nearest', behavior: 'instant' }),
    );
  return isInView;
}

/** The row of a list that the button acts on; outside of lists the button itself. */
const rowOf = (button: Element): Element => button.closest('.line') ?? button;

/** Properties of the page that can show something else in the panel's place. A browser that lacks one reads it as empty. */
const effects = [
  'filter',
  'clip-path',
  'mask-image',
  'mask-border-source',
  '-webkit-mask-box-image-source',
  'mix-blend-mode',
];

/**
 * Whether the button and the row of a list that it acts on are on top at their corners and their centres, and no style of the
 * page around the panel hides or alters them.
 */
function isUncovered(button: Element, host: HTMLElement): boolean {
  const root = button.getRootNode() as ShadowRoot;
  const isOnTop = (part: Element): boolean => {
    const box = part.getBoundingClientRect();
    const centre = [(box.left + box.right) / 2, (box.top + box.bottom) / 2] as const;
    return [...cornersOf(box, inset), centre].every(([x, y]) => {
      const inside = root.elementFromPoint(x, y);
      return elementAt(x, y) === host && inside !== null && part.contains(inside);
    });
  };
  if (![button, rowOf(button)].every(isOnTop)) return false;
  let opacity = 1;
  for (let each: Element | null = host; each !== null; each = each.parentElement) {
    const style = getComputedStyle(each);
    opacity *= Number(style.opacity);
    if (effects.some((name) => !/^(|none|normal)$/.test(style.getPropertyValue(name)))) return false;
  }
  return opacity >= 0.9;
}
