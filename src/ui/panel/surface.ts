import { createContext } from 'preact';
import { own } from '../../rpc/own.js';
import { type Attention, createAttention } from '../dialog/attention.js';
import { detectOcclusionSupport } from '../dialog/occlusion-support.js';
import type { Obstacle } from '../dialog/sheet.js';
import { cornersOf, elementAt } from '../elements.js';

/** What the buttons of a panel need to know of where it is drawn. */
export interface Surface {
  /** Whether a window is in front, large enough and at rest. Default: each button measures by itself. */
  readonly attention?: Attention;
  /** Measures now whether this button, and what it belongs to, is in view, uncovered and undistorted. */
  isShown(button: Element): boolean;
  /** What keeps the panel from being seen; `null` for nothing. */
  obstacle(): Obstacle | null;
  /** Calls `listener` when the obstacle has changed, or the panel has moved. */
  watch(listener: () => void, signal: AbortSignal): void;
}

/** Reports what happens to a panel's surface. */
export interface SurfaceReport {
  readonly surface: Surface;
  blocked(reason: Obstacle, isBlocked: boolean): void;
  moved(): void;
}

export const SurfaceContext = createContext<Surface>({
  isShown: () => true,
  obstacle: () => null,
  watch() {},
});

export function createSurface(isShown: Surface['isShown'], attention: Attention): SurfaceReport {
  const obstacles = new Set<Obstacle>();
  const listeners = new Set<() => void>();
  const report = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    surface: {
      attention,
      isShown,
      obstacle: () => [...obstacles][0] ?? null,
      watch(listener, signal) {
        listeners.add(listener);
        signal.addEventListener('abort', () => listeners.delete(listener));
      },
    },
    blocked(reason, isBlocked) {
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
  const { surface, blocked } = createSurface((button) => isUncovered(button, host), attention);
  // Nothing is measured from time to time unless a button waits to be pressed.
  const measureSize = () => blocked('size', attention.missing() === 'size');
  window.addEventListener('resize', measureSize, own({ signal }));
  measureSize();
  if (detectOcclusionSupport().isFramed) blocked('covered', true);
  return surface;
}

/** CSS pixels between an edge of a button and a tested point, so that the point lies inside the rounded corner. */
const inset = 6;

/** Whether the button is on top at its corners and its centre, and no style of the page around the panel hides or alters it. */
function isUncovered(button: Element, host: HTMLElement): boolean {
  const root = button.getRootNode() as ShadowRoot;
  const box = button.getBoundingClientRect();
  const centre = [(box.left + box.right) / 2, (box.top + box.bottom) / 2] as const;
  const isOnTop = ([x, y]: readonly [number, number]): boolean => {
    const inside = root.elementFromPoint(x, y);
    return elementAt(x, y) === host && inside !== null && button.contains(inside);
  };
  if (![...cornersOf(box, inset), centre].every(isOnTop)) return false;
  for (let each: Element | null = host; each !== null; each = each.parentElement) {
    const { opacity, filter, clipPath, maskImage, mixBlendMode } = getComputedStyle(each);
    if (Number(opacity) < 0.9 || (mixBlendMode && mixBlendMode !== 'normal')) return false;
    if ([filter, clipPath, maskImage].some((effect) => effect && effect !== 'none')) return false;
  }
  return true;
}
