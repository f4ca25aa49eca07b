import { afterAll } from 'vitest';

/** The shadow roots that are attached from now on, closed ones too, until the file of tests ends. */
export function attachedShadows(): ShadowRoot[] {
  const roots: ShadowRoot[] = [];
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, init) {
    const root = attachShadow.call(this, init);
    roots.push(root);
    return root;
  };
  afterAll(() => {
    Element.prototype.attachShadow = attachShadow;
  });
  return roots;
}
