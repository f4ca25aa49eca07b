import type { CDPSession, Frame, Page } from 'playwright-core';
import { until } from './until.js';

/**
 * Drives the wallet's dialog as a person does: by its visible texts, with a real mouse and keyboard. Its shadow root is
 * closed to pages and locators, so the driver uses the DevTools protocol.
 */
export interface DialogDriver {
  /** Kind of the question: `connect`, `transaction`, … */
  readonly kind: string;
  /** The visible text. */
  text(): Promise<string>;
  title(): Promise<string>;
  /** The error that is shown; empty without one. */
  error(): Promise<string>;
  buttons(): Promise<readonly { readonly name: string; readonly enabled: boolean }[]>;
  /**
   * Clicks a button, a tick box or a disclosure by its name, as soon as it can be pressed (the approving button
   * waits up to two seconds on purpose, and until all was in view, so it is scrolled there). `force` clicks at once, to try what must not work.
   */
  click(name: string, options?: { readonly force?: boolean }): Promise<void>;
  /** Types into the field with this label, in place of what is there. */
  fill(label: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** The name of the focused element, or its tag where it has none; empty if nothing in the dialog has the focus. */
  focused(): Promise<string>;
  /** The accessibility tree of the dialog, one `role "name" [states]` a line. */
  tree(): Promise<string>;
  /** Runs a function of the page on the `<dialog>` element. */
  evaluate<T, Args extends readonly unknown[]>(
    read: (dialog: HTMLDialogElement, ...args: Args) => T,
    ...args: Args
  ): Promise<T>;
  /** Clicks beside every control until the document has the focus, without which it approves nothing. */
  bringToFront(): Promise<void>;
  isOpen(): Promise<boolean>;
  /** Resolves when this dialog has closed. Await it before opening the next one. */
  closed(): Promise<void>;
}

export declare namespace openDialog {
  interface Options {
    /** Milliseconds to wait for the dialog, and later for its controls. */
    readonly timeout?: number;
    /** Only a dialog of this kind. */
    readonly kind?: string;
  }
}

/** Milliseconds between two attempts to find something. */
const interval = 40;

/** Waits until the dialog is open in a page or frame, and returns a driver for it. */
export async function openDialog(
  target: Page | Frame,
  options: openDialog.Options = {},
): Promise<DialogDriver> {
  const { timeout = 30_000 } = options;
  const frame = 'mainFrame' in target ? target.mainFrame() : target;
  const page = frame.page();
  const session = await sessionOf(frame);
  const found = await until(() => findDialog(session, options.kind), {
    timeout,
    interval,
    failure: `No dialog${options.kind ? ` of kind ${options.kind}` : ''} opened.`,
  });
  const { object } = await session.send('DOM.resolveNode', { backendNodeId: found.backendNodeId });
  const objectId = object.objectId as string;

  const evaluate: DialogDriver['evaluate'] = async (read, ...args) => {
    // The test compiler may wrap functions in a helper `__name`, which the page lacks.
    const functionDeclaration = `function (...args) { const __name = (it) => it; return (${read})(this, ...args); }`;
    const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration,
      arguments: args.map((value) => ({ value })),
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };

  const isOpen = () => evaluate((dialog) => dialog.isConnected && dialog.open).catch(() => false);

  /** The centre of a control in page coordinates, once it no longer moves. */
  const place = async (name: string, kind: 'press' | 'field', force: boolean) => {
    let last = '';
    const attempt = async () => {
      const at = await evaluate(locate, name, kind, force);
      const still = JSON.stringify(at) === last;
      last = JSON.stringify(at);
      if (at === null || !(still || force)) return null;
      const frameBox = frame === page.mainFrame() ? null : await (await frame.frameElement()).boundingBox();
      return { x: at.x + (frameBox?.x ?? 0), y: at.y + (frameBox?.y ?? 0) };
    };
    const failure = async () =>
      `Nothing named "${name}" can be reached in the dialog: ${await evaluate(describe, name)}`;
    return until(attempt, { timeout, interval, failure });
  };

  const bringToFront = async () => {
    const attempt = async () => {
      if (await evaluate(() => document.hasFocus())) return true;
      const frameBox = frame === page.mainFrame() ? null : await (await frame.frameElement()).boundingBox();
      const site = await evaluate((dialog) => {
        const { left, top } = (dialog.querySelector('.site, h2') as Element).getBoundingClientRect();
        return { x: left + 4, y: top + 4 };
      });
      await page.mouse.click(site.x + (frameBox?.x ?? 0), site.y + (frameBox?.y ?? 0));
      return evaluate(() => document.hasFocus());
    };
    await until(attempt, { timeout, interval: 200, failure: 'The document gets no focus.' });
  };

  return {
    kind: found.kind,
    evaluate,
    bringToFront,
    // biome-ignore lint/performance/useDomNodeTextContent: what is closed or hidden is not to be read
    text: () => evaluate((dialog) => dialog.innerText),
    title: () => evaluate((dialog) => dialog.querySelector('h2')?.textContent ?? ''),
    error: () => evaluate((dialog) => dialog.querySelector('#error')?.textContent ?? ''),
    buttons: () =>
      evaluate((dialog) =>
        Array.from(dialog.querySelectorAll('button'), (button) => ({
          name: button.textContent ?? '',
          enabled: !button.disabled && button.getAttribute('aria-disabled') !== 'true',
        })),
      ),
    async click(name, { force = false } = {}) {
      if (!force) await bringToFront();
      let { x, y } = await place(name, 'press', force);
      if (frame !== page.mainFrame() && !force) {
        // In a frame the approving button waits again once the mouse has come.
        await page.mouse.move(x, y);
        ({ x, y } = await place(name, 'press', force));
      }
      // A window of the wallet closes itself within the click that answers.
      await page.mouse.click(x, y).catch((error: unknown) => {
        if (!page.isClosed()) throw error;
      });
    },
    async fill(label, text) {
      const { x, y } = await place(label, 'field', false);
      await page.mouse.click(x, y);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.press('Delete');
      await page.keyboard.type(text);
    },
    press: (key) => page.keyboard.press(key),
    focused: () =>
      evaluate((dialog) => {
        const active = (dialog.getRootNode() as ShadowRoot).activeElement;
        if (active === null) return '';
        const label = active instanceof HTMLInputElement ? active.labels?.[0] : active;
        return active.getAttribute('aria-label') ?? label?.textContent ?? active.localName;
      }),
    async tree() {
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      return printTree(nodes as readonly AxNode[], found.backendNodeId);
    },
    isOpen,
    async closed() {
      await until(async () => !(await isOpen()), { timeout, interval, failure: 'The dialog stays open.' });
    },
  };
}

/** A frame of another origin has a session of its own; every other shares the page's. */
async function sessionOf(frame: Frame): Promise<CDPSession> {
  const context = frame.page().context();
  try {
    return await context.newCDPSession(frame);
  } catch {
    return context.newCDPSession(frame.page());
  }
}

interface DomNode {
  readonly nodeName: string;
  readonly backendNodeId: number;
  readonly attributes?: readonly string[];
  readonly children?: readonly DomNode[];
  readonly shadowRoots?: readonly DomNode[];
  readonly contentDocument?: DomNode;
}

/** The newest open dialog of the page. */
async function findDialog(session: CDPSession, kind?: string) {
  const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true });
  let found: { readonly kind: string; readonly backendNodeId: number } | null = null;
  const visit = (node: DomNode): void => {
    const hostKind = attribute(node, 'data-graft');
    for (const child of node.shadowRoots?.flatMap((shadow) => shadow.children ?? []) ?? []) {
      if (hostKind === undefined || (kind !== undefined && kind !== hostKind)) continue;
      if (child.nodeName === 'DIALOG' && attribute(child, 'open') !== undefined)
        found = { kind: hostKind, backendNodeId: child.backendNodeId };
    }
    for (const child of [...(node.children ?? []), ...(node.contentDocument ? [node.contentDocument] : [])])
      visit(child);
  };
  visit(root as DomNode);
  return found as { readonly kind: string; readonly backendNodeId: number } | null;
}

function attribute({ attributes = [] }: DomNode, name: string): string | undefined {
  const at = attributes.findIndex((item, index) => index % 2 === 0 && item === name);
  return at < 0 ? undefined : attributes[at + 1];
}

/** Runs in the page: scrolls a control into view and returns its centre; `null` while it cannot be used. */
function locate(dialog: HTMLDialogElement, name: string, kind: 'press' | 'field', force: boolean) {
  const controls = Array.from(
    dialog.querySelectorAll<HTMLElement>(
      kind === 'field' ? 'input, textarea' : 'button, summary, input[type=checkbox], input[type=radio]',
    ),
  );
  const named = controls.find((control) => {
    const isField = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;
    const text = isField ? control.labels?.[0]?.textContent : control.textContent;
    const own = control.getAttribute('aria-label') ?? text ?? '';
    return own.trim() === name || (isField && own.trim().startsWith(name));
  });
  if (named === undefined) return null;
  if (!force && named.getAttribute('aria-disabled') === 'true') {
    // A question is approved only after its end has been in view.
    for (const area of dialog.querySelectorAll('.dangers, .body')) area.scrollTo(0, area.scrollHeight);
    return null;
  }
  named.scrollIntoView({ block: 'nearest' });
  const { left, top, width, height } = named.getBoundingClientRect();
  const at = { x: left + width / 2, y: top + height / 2 };
  const hit = (dialog.getRootNode() as ShadowRoot).elementFromPoint(at.x, at.y);
  return force || (hit !== null && (named === hit || named.contains(hit))) ? at : null;
}

/** Runs in the page: what may keep a control from being reached, as JSON. */
function describe(dialog: HTMLDialogElement, name: string): string {
  const button = Array.from(dialog.querySelectorAll('button')).find(
    ({ textContent }) => textContent === name,
  );
  const { left, top, width, height } = (button ?? dialog).getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return JSON.stringify({
    isOpen: dialog.isConnected && dialog.open,
    isFocused: document.hasFocus(),
    isDisabled: button?.getAttribute('aria-disabled'),
    box: [left, top, width, height],
    window: [innerWidth, innerHeight, visualViewport?.scale],
    hit: hit?.outerHTML.slice(0, 80),
    // biome-ignore lint/performance/useDomNodeTextContent: what is closed or hidden is not to be read
    text: dialog.innerText,
  });
}

interface AxNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: { readonly value?: string };
  readonly name?: { readonly value?: string };
  readonly description?: { readonly value?: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
  readonly childIds?: readonly string[];
  readonly backendDOMNodeId?: number;
}

const silent = new Set(['none', 'generic', 'InlineTextBox', 'LineBreak', 'LabelText', 'strong', 'code']);
const states = ['checked', 'disabled', 'expanded', 'focused', 'invalid', 'modal'];

function printTree(nodes: readonly AxNode[], backendNodeId: number): string {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  let text = '';
  const flush = (indent: string, name = '') => {
    if (text.trim() !== '' && text.trim() !== name.trim()) lines.push(`${indent}text "${text.trim()}"`);
    text = '';
  };
  const visit = (node: AxNode, depth: number, around: string): void => {
    const role = node.role?.value ?? 'none';
    const indent = '  '.repeat(depth);
    if (role === 'StaticText') {
      text += node.name?.value ?? '';
      return;
    }
    const shown = !node.ignored && !silent.has(role);
    const name = node.name?.value ?? '';
    if (shown) {
      flush(indent, around);
      const described = role === 'dialog' && node.description?.value ? ` – ${node.description.value}` : '';
      const stated = (node.properties ?? [])
        .filter(
          (property) =>
            states.includes(property.name) &&
            ![undefined, false, 'false'].includes(property.value.value as never),
        )
        .map((property) => ` [${property.name}]`);
      lines.push(`${indent}${role}${name === '' ? '' : ` "${name}"`}${described}${stated.join('')}`);
    }
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child) visit(child, shown ? depth + 1 : depth, shown ? name : around);
    }
    if (shown) flush(`${indent}  `, name);
  };
  const dialog = nodes.find((node) => node.backendDOMNodeId === backendNodeId);
  if (dialog) visit(dialog, 0, '');
  return lines.join('\n');
}
