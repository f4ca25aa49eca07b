import { inspect } from 'node:util';

/** Every string that can be read from `value`: its properties, cause, stack and printed forms. */
export function everythingIn(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const walk = (each: unknown): void => {
    if (typeof each === 'string') texts.push(each);
    if (each === null || (typeof each !== 'object' && typeof each !== 'function') || seen.has(each)) return;
    seen.add(each);
    texts.push(inspect(each, { depth: null, showHidden: true }));
    if (each instanceof Error) texts.push(each.message, each.stack ?? '', String(each), each.name);
    for (const key of Reflect.ownKeys(each)) {
      texts.push(String(key));
      walk(Reflect.get(each, key));
    }
    walk((each as { cause?: unknown }).cause);
  };
  walk(value);
  texts.push(JSON.stringify(value) ?? '', String(value));
  return texts.join('\n');
}
