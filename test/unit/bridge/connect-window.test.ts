// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Approver } from '../../../src/approvals/question.js';
import { serveInTurn } from '../../../src/bridge/connect-window.js';
import { dialog } from '../../../src/ui/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { greeting } from '../../support/questions.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** Shadow roots that were made: in one of them a password would be asked for. */
const roots: ShadowRoot[] = [];

beforeEach(() => {
  roots.length = 0;
  const { attachShadow } = Element.prototype;
  vi.spyOn(Element.prototype, 'attachShadow').mockImplementation(function (this: Element, init) {
    const root = attachShadow.call(this, init);
    roots.push(root);
    return root;
  });
  const request = (_name: string, _options: object, use: (lock: object) => unknown) => use({});
  vi.stubGlobal('navigator', Object.create(navigator, { locks: { value: { request } } }));
});
afterEach(async () => {
  // Files share a document: the next one must find no question in it.
  await until(() => document.querySelector('[data-graft]') === null);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const awake = { id: 'x', name: 'laptop', createdAt: 1 };

/** Asks a question of a locked wallet in the window. `passkeys` is asked for each time that they are counted. */
async function ask(passkeys: () => Promise<readonly object[]>) {
  let approver: (() => Promise<Approver>) | undefined;
  const provider = { on() {}, off() {}, isConnected: () => true };
  const state = () => ({ chainId: 31, accounts: [], permissions: {} });
  const end = serveInTurn({
    ...{ port: new MessageChannel().port1, nonce: 'ab'.repeat(16), version: 1, origin: 'https://a.example' },
    walletOf(approverOfWallet) {
      approver = approverOfWallet;
      return { origin: 'https://a.example', state, watch: () => () => {}, provider } as never;
    },
    person: async () => dialog(),
    closeWindow() {},
  });
  const ended = new AbortController();
  const session = { signal: ended.signal, unlock: async () => {}, owner: { passkeys } };
  const asked = (await (approver as () => Promise<Approver>)())
    .ask({ ...greeting, locked: true }, session as never)
    .then(
      () => 'ended',
      ({ code, data }) => ({ code, reason: data?.reason }),
    );
  return {
    asked,
    fields: () => roots.flatMap((root) => [...root.querySelectorAll('input')]).map(({ type }) => type),
    shown: () => roots.some((root) => root.querySelector('button.confirm')),
    stop() {
      ended.abort();
      end();
      return asked;
    },
  };
}

test.each<[string, () => Promise<readonly object[]>]>([
  ['there is none', async () => []],
  ['all are asleep', async () => [{ ...awake, asleep: true }]],
])('a wallet whose passkeys cannot open it asks nothing: %s', async (_, passkeys) => {
  const { asked, fields } = await ask(passkeys);
  expect(await asked).toEqual({ code: -32002, reason: 'no-window' });
  expect(fields()).toEqual([]);
});

test('passkeys that are gone, or asleep, when the question is drawn bring no password back', async () => {
  for (const later of [[], [{ ...awake, asleep: true }]]) {
    roots.length = 0;
    let count = 0;
    const { shown, fields, stop } = await ask(async () => (count++ === 0 ? [awake] : later));
    await until(shown);
    expect(fields()).not.toContain('password');
    await stop();
  }
});
