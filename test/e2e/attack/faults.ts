import { inspect } from 'node:util';
import { ProviderRpcError } from '../../../src/index.js';

/** What is wrong with how a request was rejected; `null` when nothing is. `secrets` are texts. */
export function wrongRejection(error: unknown, secrets: readonly string[]): string | null {
  if (!(error instanceof ProviderRpcError)) return `it rejects with ${inspect(error)}`;
  const { code, message, data } = error;
  if (!Number.isInteger(code)) return `its code is ${inspect(code)}`;
  if (typeof message !== 'string' || !/\S/.test(message) || message.length > 1_000)
    return `its message is ${inspect(message)}`;
  // The provider's last net: a fault of ours that nobody foresaw.
  if (message === 'Internal error of the wallet.') return 'it stumbles';
  if ('cause' in error) return 'it has a cause';
  if (data !== undefined && !isJson(data)) return `its data is no JSON: ${inspect(data)}`;
  return showsSecret(error, secrets);
}

/** Data travels on to other windows and logs. */
function isJson(data: unknown): boolean {
  try {
    return JSON.stringify(data) !== undefined;
  } catch {
    return false;
  }
}

export function showsSecret(value: unknown, secrets: readonly string[]): string | null {
  for (const text of textsIn(value)) {
    const lower = text.toLowerCase();
    for (const secret of secrets)
      if (lower.includes(secret.toLowerCase())) return `it shows a secret: ${inspect(value)}`;
  }
  return null;
}

/** Every text within, own properties of any kind included: a million times, so without printing it. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const at = stack.pop();
    if (typeof at === 'string') texts.push(at);
    if (at === null || (typeof at !== 'object' && typeof at !== 'function') || seen.has(at)) continue;
    seen.add(at);
    for (const key of Reflect.ownKeys(at)) {
      if (typeof key === 'string') texts.push(key);
      stack.push(Reflect.get(at, key));
    }
  }
  return texts;
}
