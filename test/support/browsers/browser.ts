/**
 * What the tests need of a browser, so that one test runs in all three; in Chromium more of them run, in `test/e2e/browser`.
 * Everything a person does goes through the browser's own input: clicks and keys are trusted.
 */
export interface TestBrowser {
  readonly name: BrowserName;
  readonly version: string;
  /** Opens a window of its own, which is visible as long as it is there. */
  open(url: string): Promise<Tab>;
  /** The windows that are open, those that pages have opened included. */
  tabs(): Promise<readonly Tab[]>;
  close(): Promise<void>;
}

export type BrowserName = 'Chromium' | 'Firefox' | 'WebKit';

/** A document: of a window, or of a frame in it. */
export interface Place {
  /** Runs a function of the page. Its arguments and its result are JSON. */
  evaluate<T, Args extends readonly unknown[]>(
    read: (...args: Args) => T | Promise<T>,
    ...args: Args
  ): Promise<T>;
  /** Clicks with the mouse at a point of this document's viewport, in CSS pixels. */
  clickAt(x: number, y: number): Promise<void>;
  /** Presses and releases keys, one after another: characters, or `Enter`, `Escape`, `Tab`, `Backspace`. */
  type(...keys: readonly string[]): Promise<void>;
}

export interface Tab extends Place {
  /** The same for the same window. */
  readonly id: string;
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Brings the window to the front, so that its document has the focus. */
  activate(): Promise<void>;
  /** A screenshot of the visible part of the page as a PNG, with one pixel for each CSS pixel. */
  picture(): Promise<Buffer>;
  /** The document of the frame whose address contains `part`; `null` if there is none. */
  frame(part: string): Promise<Place | null>;
  close(): Promise<void>;
}

/** The expression that calls a function of the page, and becomes the JSON text of its result. */
export function callOf(read: (...args: never) => unknown, args: readonly unknown[]): string {
  // The test compiler may wrap functions in a helper `__name`, which the page lacks.
  return `(async () => {
    const __name = (it) => it;
    return JSON.stringify((await (${read})(...${JSON.stringify(args)})) ?? null);
  })()`;
}

/** The keys that have no character, as WebDriver writes them. */
const named: Record<string, string> = {
  Enter: '\uE007',
  Escape: '\uE00C',
  Tab: '\uE004',
  Backspace: '\uE003',
};

/** The actions of WebDriver that press these keys. */
export const keyActions = (keys: readonly string[]) => [
  {
    type: 'key',
    id: 'keyboard',
    actions: keys.flatMap((key) => {
      const value = named[key] ?? key;
      return [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ];
    }),
  },
];

/** The actions of WebDriver that click at a point of the viewport. */
export const clickActions = (x: number, y: number) => [
  {
    type: 'pointer',
    id: 'mouse',
    parameters: { pointerType: 'mouse' },
    actions: [
      { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ],
  },
];
