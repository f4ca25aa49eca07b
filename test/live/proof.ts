import { toQuantity } from '../../src/rpc/hex.js';
import type { Block, Hash } from '../../src/rpc/schema.js';
import { createService } from '../../src/service/client.js';
import { createNetworks, type NetworkOptions } from '../../src/service/networks.js';
import type { Check } from './checks.js';
import type { Sample } from './sample.js';

const blocks = 4;
const receipts = 8;

/** The node's newest blocks and receipts, held against the work of Bitcoin's miners. */
export const proofChecks = (network: NetworkOptions, { height }: Sample): readonly Check[] => [
  {
    name: `proof: the newest ${blocks} blocks and ${receipts} of their receipts hold`,
    async run() {
      const [verified] = createNetworks([{ ...network, verify: 'work', floor: 1n }]);
      const service = createService({ network: verified as NonNullable<typeof verified> });
      const transactions: Hash[] = [];
      for (let number = Math.max(1, height - blocks + 1); number <= height; number++) {
        const block = (await service.request('eth_getBlockByNumber', [toQuantity(number), true])) as Block;
        await mustHold(block.hash as Hash, `block ${number}`);
        transactions.push(...block.transactions.map((each) => (typeof each === 'object' ? each.hash : each)));
      }
      for (const hash of transactions.slice(0, receipts)) await mustHold(hash, `the receipt of ${hash}`);

      async function mustHold(hash: Hash, what: string): Promise<void> {
        const found = await (await service.verification?.())?.verdictOf(hash, 0);
        if (found?.verdict !== 'proven') throw new Error(`${what} is ${found?.verdict}: ${found?.why}`);
      }
    },
  },
];
