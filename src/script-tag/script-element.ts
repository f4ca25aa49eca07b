/** The attributes of the script element that runs. */
export interface OwnElement {
  /** Its URL, and its nonce for a policy that asks for one, else empty. */
  readonly src: string;
  readonly nonce: string;
  /** The value of `data-{name}`. @throws TypeError if it is missing */
  required(name: string): string;
  /** The value of `data-{name}`; `undefined` if it is missing. */
  optional(name: string): string | undefined;
  /** The value of `data-{name}`; the first of `values` if it is missing. @throws TypeError for another value */
  oneOf<const Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value;
}

/**
 * Reads the element of a classic script while it starts, through the prototype: an `<img name=currentScript>` of the page
 * would shadow `document.currentScript`.
 *
 * @param file its name, for errors
 * @throws TypeError in a module
 */
export function readOwnElement(file: string): OwnElement {
  const script: unknown = Reflect.get(Document.prototype, 'currentScript', document);
  if (!(script instanceof HTMLScriptElement))
    throw new TypeError(`${file}: load it as a classic script, not as a module`);
  return {
    src: script.src,
    nonce: script.nonce,
    required(name) {
      const value = script.getAttribute(`data-${name}`);
      if (!value) throw new TypeError(`${file}: its script element has no data-${name}`);
      return value;
    },
    optional: (name) => script.getAttribute(`data-${name}`) || undefined,
    oneOf(name, values) {
      const value = script.getAttribute(`data-${name}`) ?? values[0];
      const choice = values.find((each) => each === value);
      if (choice === undefined)
        throw new TypeError(`${file}: data-${name} is "${value}"; it may be ${values.join(', ')}`);
      return choice;
    },
  };
}
