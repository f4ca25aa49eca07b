/**
 * Replaces every function and accessor of the page's built-ins, as a script may that runs before any other, and keeps the
 * texts that pass through them: `recorded.texts()`. Its source is put into the page.
 */
export function recordEverything(): void {
  const { apply, ownKeys, getOwnPropertyDescriptor: describe, defineProperty: define } = Reflect;
  const { isView } = ArrayBuffer;
  const texts: Record<string, true> = Object.create(null);
  const digits = '0123456789abcdef';
  let isNoting = false;
  let count = 0;

  const walk = (value: unknown, depth: number): void => {
    if (typeof value === 'string') texts[value] = true;
    if (typeof value !== 'object' || value === null || depth === 0) return;
    if (isView(value)) {
      let hex = '';
      const bytes = value as Uint8Array;
      for (let i = 0; i < bytes.length && i < 256; i++) {
        const byte = bytes[i] as number;
        hex += `${digits[byte >> 4]}${digits[byte & 15]}`;
      }
      texts[hex] = true;
      return;
    }
    const keys = ownKeys(value);
    for (let i = 0; i < keys.length && i < 100; i++) {
      const key = keys[i] as string | symbol;
      if (typeof key === 'string') texts[key] = true;
      const property = describe(value, key);
      if (property && 'value' in property) walk(property.value, depth - 1);
    }
  };
  const note = (value: unknown): void => {
    if (isNoting) return;
    isNoting = true;
    try {
      walk(value, 3);
    } catch {
      // A proxy, or a window of another origin.
    }
    isNoting = false;
  };
  const recording = (original: (...args: unknown[]) => unknown) => {
    count++;
    const { recorder } = {
      recorder(this: unknown, ...args: unknown[]) {
        note(args);
        const result = apply(original, this, args);
        note(result);
        return result;
      },
    };
    return recorder;
  };
  const patch = (holder: object): void => {
    for (const key of ownKeys(holder)) {
      const property = describe(holder, key);
      if (!property?.configurable || key === 'constructor') continue;
      const { value, get, set } = property;
      // Not classes.
      if (typeof value === 'function' && !('prototype' in value))
        define(holder, key, { ...property, value: recording(value) });
      else if (get) {
        const setter = set && { set: recording(set as (...args: unknown[]) => unknown) };
        define(holder, key, { ...property, get: recording(get), ...setter });
      }
    }
  };
  for (const name of ownKeys(globalThis)) {
    const value: unknown = describe(globalThis, name)?.value;
    // What calls functions would record its own recording.
    if (name === 'Function' || typeof name !== 'string' || !/^[A-Z]/.test(name)) continue;
    if (typeof value !== 'function' && typeof value !== 'object') continue;
    const { prototype } = Object(value) as { prototype?: object };
    if (prototype) patch(prototype);
    if (value) patch(value);
  }
  patch(globalThis);
  const recorded = { texts: () => ownKeys(texts), count: () => count };
  define(globalThis, 'recorded', { value: recorded });
}
