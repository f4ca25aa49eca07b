import { expect } from 'vitest';
import { type Behaviour, repeatUntil, soon, succeeded } from '../behaviour.js';
import type { Rig } from '../rig.js';

/** Blocks and logs, as the library listens for them. A library may begin to listen a moment after it said so. */

const looks = 300;

const blocksOf = async ({ client }: Rig) => (await client.seen()).blocks;
const storedOf = async ({ client }: Rig) => (await client.seen()).stored;

export const watchingBehaviours: readonly Behaviour[] = [
  {
    name: 'blocks',
    looks,
    async run(rig) {
      await rig.connected();
      const { controls } = rig.home;
      succeeded(await rig.act((client) => client.watchBlocks()));
      await repeatUntil(
        async () => (await blocksOf(rig)).length > 0,
        () => controls.mine(),
      );
      await controls.mine(2);
      const head = Number(await rig.ask<string>('eth_blockNumber', []));
      await soon(async () => (await blocksOf(rig)).at(-1), head);
      succeeded(await rig.act((client) => client.unwatch()));
      const blocks = await blocksOf(rig);
      expect(blocks, 'each once, in order').toEqual([...new Set(blocks)].sort((a, b) => a - b));
      return { questions: 0 };
    },
  },
  {
    name: 'logs',
    looks,
    async run(rig) {
      await rig.connected();
      let value = 100n;
      succeeded(await rig.act((client) => client.watchEvents(rig.contract)));
      await repeatUntil(
        async () => (await storedOf(rig)).length > 0,
        () => rig.store(++value),
      );
      for (let more = 0; more < 3; more++) await rig.store(++value);
      // ethers asks for logs when it sees a block; one that came while it was asking is told with the next.
      await repeatUntil(
        async () => (await storedOf(rig)).at(-1) === String(value),
        () => rig.home.controls.mine(),
      );
      succeeded(await rig.act((client) => client.unwatch()));
      const stored = (await storedOf(rig)).map(Number);
      const first = stored[0] as number;
      expect(stored, 'each once, in order, none left out').toEqual(stored.map((_, index) => first + index));
      return { questions: 0 };
    },
  },
];
