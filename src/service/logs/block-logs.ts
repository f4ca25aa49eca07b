import { lazy } from '../../async/lazy.js';
import { isProviderRpcError } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Hash, Log } from '../../rpc/schema.js';
import type { Service } from '../service.js';
import { twice } from '../twice.js';
import { areAllLogs } from './bloom-check.js';
import { readLogs } from './logs.js';
import type { BlockWithLogs } from './receipt-logs.js';
import { isLacking, isOutOfReach } from './refusal.js';

interface Options {
  readonly signal?: AbortSignal | undefined;
  /** Whether receipts are read also where `eth_getLogs` could not be asked: a gateway may fail for one block only. */
  readonly insist?: boolean | undefined;
}

/**
 * Reads all logs of a block and proves them by the block's bloom. Sources in this order: `eth_getLogs {blockHash}`, the
 * same again (another node behind a balancer may answer), the receipts of the block's transactions.
 */
export function createBlockLogs(service: Service) {
  const receiptLogs = lazy(async () => (await import('./receipt-logs.js')).createReceiptLogs(service));

  return {
    /**
     * In order, each once. Logs of a block whose bloom is empty count only if the receipts give the same ones, as on chains
     * without blooms.
     * @throws ProviderRpcError -32603 where neither source has them; another code where the service could not be asked
     */
    async ofBlock(block: BlockWithLogs, options?: Options): Promise<readonly Log[]> {
      const { signal, insist = false } = own(options);
      /** The last list that is the block's in everything but its bloom. */
      let disproved: readonly Log[] | undefined;
      const read = () =>
        readLogs(
          service,
          { blockHash: block.hash as Hash },
          {
            signal,
            check(logs) {
              if (logs.some(({ blockNumber }) => Number(blockNumber) !== Number(block.number)))
                throw new Error('logs of another height');
              if (areAllLogs(logs, block.logsBloom)) return;
              disproved = logs;
              throw new Error(
                logs.length === 0
                  ? 'no logs for a block that has some'
                  : 'logs that contradict the bloom of their block',
              );
            },
          },
        );
      const fromReceipts = async () => (await receiptLogs()).ofBlock(block, { signal, orEqualTo: disproved });

      try {
        return await twice(read);
      } catch (error) {
        if (isLacking(error)) return twice(fromReceipts);
        if (!isProviderRpcError(error) || (isOutOfReach(error) && !insist)) throw error;
        return await fromReceipts().catch((other) => {
          throw isOutOfReach(other) ? other : error;
        });
      }
    },
  };
}
