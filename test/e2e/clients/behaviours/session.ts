import { expect } from 'vitest';
import { type Behaviour, failed, failure, shows, soon, succeeded } from '../behaviour.js';
import type { Rig } from '../rig.js';

/** Connecting, the accounts, and the chains. */

const home = 33;
const known = 31;

const accountsOf = async ({ client }: Rig) => (await client.seen()).accounts.at(-1);
const chainOf = async ({ client }: Rig) => (await client.seen()).chains.at(-1);

async function chainIdOf(rig: Rig): Promise<number> {
  return succeeded(await rig.act((client) => client.chainId()));
}

/** What a page added is kept until the owner removes it. */
async function forgetChains(rig: Rig): Promise<void> {
  await rig.removeChains();
  await rig.reload();
  await rig.chooseChain(home);
  await rig.connected();
}

/** A page that was given nothing. */
async function strange(rig: Rig): Promise<void> {
  if (succeeded(await rig.act((client) => client.reconnect())).length === 0) return;
  await rig.revoke();
  await rig.reload();
}

export const sessionBehaviours: readonly Behaviour[] = [
  failure('connect, refused', async (rig, expected) => {
    await strange(rig);
    const act = await rig.act((client) => client.connect(), 'refuse');
    failed(act, expected, ['connect']);
    expect(succeeded(await rig.act((client) => client.reconnect()))).toEqual([]);
    return shows(act);
  }),
  {
    name: 'connect',
    async run(rig) {
      await strange(rig);
      const act = await rig.act((client) => client.connect());
      expect(succeeded(act, ['connect'])).toEqual([rig.accounts[0]]);
      return shows(act);
    },
  },
  {
    name: 'reconnect after a reload',
    async run(rig) {
      await rig.connected();
      await rig.reload();
      const act = await rig.act((client) => client.reconnect());
      expect(succeeded(act)).toEqual([rig.accounts[0]]);
      return shows(act);
    },
  },
  {
    name: 'another account is given',
    async run(rig) {
      await rig.connected();
      const [first, second] = rig.accounts;
      await rig.share([second]);
      await soon(() => accountsOf(rig), [second]);
      await rig.share([first]);
      await soon(() => accountsOf(rig), [first]);
      return { questions: 0 };
    },
  },
  {
    name: 'the owner takes the accounts back',
    async run(rig) {
      await rig.connected();
      await rig.revoke();
      await soon(() => accountsOf(rig), []);
      expect(succeeded(await rig.act((client) => client.reconnect()))).toEqual([]);
      return { questions: 0 };
    },
  },
  {
    name: 'the owner chooses another chain',
    async run(rig) {
      await rig.connected();
      await rig.chooseChain(known);
      await soon(() => chainOf(rig), known);
      expect(await chainIdOf(rig)).toBe(known);
      await rig.chooseChain(home);
      await soon(() => chainOf(rig), home);
      return { questions: 0 };
    },
  },
  failure('switch chain, refused', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.switchChain(known), 'refuse');
    failed(act, expected, ['switch-chain']);
    expect(await chainIdOf(rig)).toBe(home);
    return shows(act);
  }),
  {
    name: 'switch to a known chain',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.switchChain(known));
      succeeded(act, ['switch-chain']);
      expect(await chainIdOf(rig)).toBe(known);
      await soon(() => chainOf(rig), known);
      await rig.chooseChain(home);
      await soon(() => chainOf(rig), home);
      return shows(act);
    },
  },
  failure('switch to an unknown chain', async (rig, expected) => {
    await rig.connected();
    const { chainId } = rig.told.unknown;
    const act = await rig.act((client) => client.switchChain(chainId));
    if (expected === 'succeeds') {
      // The library added it by itself: still one question.
      succeeded(act, ['add-chain']);
      expect(await chainIdOf(rig)).toBe(chainId);
      await forgetChains(rig);
    } else {
      failed(act, expected);
      expect(await chainIdOf(rig)).toBe(home);
    }
    return shows(act);
  }),
  failure('add a chain, refused', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.addChain(rig.told.unknown), 'refuse');
    failed(act, expected, ['add-chain']);
    expect(await chainIdOf(rig)).toBe(home);
    return shows(act);
  }),
  {
    name: 'add a chain, then switch',
    async run(rig) {
      await rig.connected();
      const { unknown } = rig.told;
      const act = await rig.act(async (client) => {
        const added = await client.addChain(unknown);
        return 'error' in added ? added : client.switchChain(unknown.chainId);
      });
      succeeded(act, ['add-chain']);
      expect(await chainIdOf(rig)).toBe(unknown.chainId);
      await forgetChains(rig);
      return shows(act);
    },
  },
  {
    name: 'disconnect',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.disconnect());
      succeeded(act);
      await rig.reload();
      expect(succeeded(await rig.act((client) => client.reconnect()))).toEqual([]);
      return shows(act);
    },
  },
];
