import { callsProgram, type WordCall, wordsOf } from '../rpc/calls-program.js';
import { errorCode, isProviderRpcError } from '../rpc/errors.js';
import { checkData } from '../rpc/results.js';
import type { Hex } from '../rpc/schema.js';
import { isNodeFailure } from '../service/errors/errors.js';
import type { Service } from '../service/service.js';

/** Calls that one `eth_call` makes, and the gas for each: together the node has enough for one call. */
const callsAtOnce = 25;
const gasOfCall = 200_000;

/**
 * Calls contracts that answer with one word: in one batch where the network has batches, else by one `eth_call` for
 * {@link callsAtOnce} of them. Resolves with `null` for a call that failed, or whose answer is no word. Never rejects.
 */
export async function readWords(
  service: Service,
  calls: readonly WordCall[],
): Promise<readonly (bigint | null)[]> {
  const readEach = (some: readonly WordCall[]) =>
    Promise.all(some.map((call) => readWord(service, call).catch(() => null)));
  if (service.network.batch !== undefined) return readEach(calls);
  const parts = Array.from({ length: Math.ceil(calls.length / callsAtOnce) }, (_, i) =>
    calls.slice(i * callsAtOnce, (i + 1) * callsAtOnce),
  );
  const read = await Promise.all(
    parts.map(async (part) => {
      try {
        return await readTogether(service, part);
      } catch (error) {
        // A node that refuses the program answers single calls; one that answers nothing does not.
        return isUnanswered(error) && !isNodeFailure(error) ? part.map(() => null) : readEach(part);
      }
    }),
  );
  return read.flat();
}

/** Codes of a service that does not answer now. */
const unanswered: readonly number[] = [
  errorCode.limitExceeded,
  errorCode.resourceUnavailable,
  errorCode.disconnected,
  errorCode.chainDisconnected,
];

const isUnanswered = (error: unknown): boolean =>
  isProviderRpcError(error) && unanswered.includes(error.code);

/** @throws Error if the node answers with something else; the service's error */
async function readTogether(
  service: Service,
  calls: readonly WordCall[],
): Promise<readonly (bigint | null)[]> {
  const data = callsProgram(calls, gasOfCall);
  const result = (await service.request('eth_call', [{ data }, 'latest'], { check: checkData })) as Hex;
  const words = wordsOf(result, calls.length);
  if (!words) throw new Error('The node did not run the program.');
  return words;
}

async function readWord(service: Service, { to, data }: WordCall): Promise<bigint | null> {
  const result = (await service.request('eth_call', [{ to, data }, 'latest'], { check: checkData })) as Hex;
  return result.length === 66 ? BigInt(result) : null;
}
