/** The element with this id. @throws TypeError when it is missing or of another class */
export function find<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`#${id} is no ${kind.name}`);
  return found;
}

export const section = (id: string) => find(id, HTMLElement);
export const button = (id: string) => find(id, HTMLButtonElement);
export const input = (id: string) => find(id, HTMLInputElement);
export const area = (id: string) => find(id, HTMLTextAreaElement);
export const choice = (id: string) => find(id, HTMLSelectElement);

type Content = Node | string;

/** Builds an element. Strings become text, never markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** Sets the text only when it differs, so that a live region does not announce it again. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Runs a task unless the button's previous one is running. The button has `aria-busy` meanwhile. */
export async function during(
  starter: HTMLButtonElement,
  task: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  if (starter.getAttribute('aria-busy') === 'true') return;
  starter.setAttribute('aria-busy', 'true');
  try {
    await task();
  } catch (error) {
    failed(error);
  } finally {
    starter.removeAttribute('aria-busy');
  }
}

/** An error's message, with its EIP-1193 code where it has one. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? `${error.message} (${code})` : error.message;
}
