/** The element of the page with this id, of the kind that the caller expects. */
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

/** Changes text only where it differs, so that a live region does not repeat itself. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** One task at a time for what starts it, which shows that it runs. Failures go to `failed`. */
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

/** What went wrong, with the code of EIP-1193 where it has one. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? `${error.message} (${code})` : error.message;
}
