import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBrowserTraces, noTraces } from '../../../../src/keyring/vault/traces.js';

afterEach(() => vi.unstubAllGlobals());

/** `Storage` of the web, as far as the sentinel uses it. */
function stubLocalStorage() {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
  return items;
}

describe('createBrowserTraces', () => {
  test('the sentinel is kept by name', () => {
    const items = stubLocalStorage();
    createBrowserTraces('a').setSentinel({ vaultId: 'x', gen: 3 });
    expect(createBrowserTraces('a').sentinel()).toEqual({ vaultId: 'x', gen: 3 });
    expect(createBrowserTraces('b').sentinel()).toBeNull();
    expect([...items.keys()]).toEqual(['a.vault']);
    createBrowserTraces('b').dropSentinel();
    expect([...items.keys()]).toEqual(['a.vault']);
    createBrowserTraces('a').dropSentinel();
    expect([createBrowserTraces('a').sentinel(), items.size]).toEqual([null, 0]);
  });

  test('a malformed sentinel is ignored', () => {
    const items = stubLocalStorage();
    for (const value of ['', '{', 'null', '5', '{}', '{"vaultId":1,"gen":1}', '{"vaultId":"x","gen":"1"}']) {
      items.set('a.vault', value);
      expect(createBrowserTraces('a').sentinel()).toBeNull();
    }
  });

  test('where the browser has neither, there is nothing and nothing fails', async () => {
    vi.stubGlobal('localStorage', undefined);
    const missing = createBrowserTraces('a');
    missing.setSentinel({ vaultId: 'x', gen: 1 });
    missing.dropSentinel();
    await missing.setCopy({ v: 1 });
    await missing.dropCopy();
    expect([missing.sentinel(), await missing.copy()]).toEqual([null, null]);

    const forbid = () => {
      throw new DOMException('sandboxed', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: forbid, setItem: forbid, removeItem: forbid });
    vi.stubGlobal('navigator', { storage: { getDirectory: forbid } });
    const forbidden = createBrowserTraces('a');
    forbidden.setSentinel({ vaultId: 'x', gen: 1 });
    forbidden.dropSentinel();
    await forbidden.setCopy({ v: 1 });
    expect([forbidden.sentinel(), await forbidden.copy()]).toEqual([null, null]);
  });
});

describe('noTraces', () => {
  test('keeps nothing', async () => {
    noTraces.setSentinel({ vaultId: 'x', gen: 1 });
    noTraces.dropSentinel();
    await noTraces.setCopy({ v: 1 });
    expect([noTraces.sentinel(), await noTraces.copy()]).toEqual([null, null]);
  });
});
