// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Connection } from '../../../demo/dapp/connection.js';
import { startToken } from '../../../demo/dapp/token.js';
import { createRandom } from '../../support/random.js';

/** The card of the token, over a wallet whose replies come in any order. */

afterEach(() => {
  document.body.replaceChildren();
  localStorage.clear();
});

const tokenOf = (chainId: number) => `0x${String(chainId).repeat(20)}`;

/** A balance that names its chain and account. */
const balanceOf = (chainId: number, account: string) => BigInt(chainId * 10 + Number(account.at(-1)));

/** One wallet with three chains, of which the last has no token, and two accounts. */
function createWorld(seed: number) {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  document.body.innerHTML = /<body>(.*)<\/body>/s.exec(readFileSync('demo/index.html', 'utf8'))?.[1] ?? '';
  for (const chainId of [31, 33]) localStorage.setItem(`dapp:token:${chainId}`, tokenOf(chainId));
  const replies: (() => void)[] = [];
  const blocks: (() => void)[] = [];
  let connected: Connection | null = null;
  const connection = () => {
    if (!connected) throw new Error('Connect a wallet first.');
    return connected;
  };
  const read = (chainId: number, method: string, params: readonly unknown[] | object) => {
    if (method === 'eth_getCode') return '0x60';
    const [{ data }] = params as [{ data: string }];
    return `0x${(balanceOf(chainId, data) * 10n ** 18n).toString(16)}`;
  };
  const token = startToken(connection, () => Promise.reject(new Error('Nothing is sent here.')), {
    follow() {},
    onBlock: (listener) => void blocks.push(listener),
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  const acts = [
    () => {
      const chainId = [30, 31, 33][below(3)] as number;
      const account = `0x${'00'.repeat(19)}0${below(2) + 1}`;
      const request = (method: string, params: readonly unknown[] | object = []) =>
        // The wallet answers for the chain that was active when it was asked.
        new Promise<unknown>((resolve) => void replies.push(() => resolve(read(chainId, method, params))));
      connected = below(6) === 0 ? null : { request, account, chainId };
      void token.changed(connected).catch(() => undefined);
    },
    () => blocks.forEach((listener) => void listener()),
    () => replies.splice(below(replies.length), 1)[0]?.(),
  ];
  return {
    act: () => acts[below(acts.length)]?.(),
    async end() {
      for (; replies.length > 0; await settle()) replies.splice(below(replies.length), 1)[0]?.();
    },
    settle,
    shown: () => document.getElementById('token-tag')?.textContent,
    right() {
      if (!connected || connected.chainId === 30) return 'not deployed';
      return `${balanceOf(connected.chainId, connected.account)} LEAF`;
    },
  };
}

test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'world %i shows nothing of another chain or account',
  async (seed) => {
    const world = createWorld(seed);
    for (let acts = 0; acts < 60; acts++) {
      world.act();
      await world.settle();
      expect([world.right(), 'not deployed']).toContain(world.shown());
    }
    await world.end();
    expect(world.shown()).toBe(world.right());
  },
);
