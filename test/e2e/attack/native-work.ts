import { subtle } from '../../../src/keyring/builtins.js';

/**
 * Counts the operations of WebCrypto that the wallet has under way: they run on the platform's threads and take the machine's
 * time.
 */
export function watchNativeWork(): { readonly isUnderWay: () => boolean; readonly end: () => void } {
  const functions = subtle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const before = { ...functions };
  let underWay = 0;
  for (const [name, native] of Object.entries(before))
    functions[name] = async (...args) => {
      underWay += 1;
      try {
        return await native(...args);
      } finally {
        underWay -= 1;
      }
    };
  return { isUnderWay: () => underWay > 0, end: () => void Object.assign(functions, before) };
}
