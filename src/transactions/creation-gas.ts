import { bytesToHex, hexToBytes, toQuantity } from '../rpc/hex.js';
import { checkData, checkQuantity } from '../rpc/results.js';
import type { Hex } from '../rpc/schema.js';
import { maxInitCodeSize } from '../rpc/transaction-size.js';
import { isOutOfReach } from '../service/logs/refusal.js';
import type { Service } from '../service/service.js';
import { estimationCap, type MeasuredGas, type SimulatedCall, unknownGas } from './measured-gas.js';

/**
 * Measures the gas of a call whose estimate is the node's maximum: it creates a contract, or it uses up all gas
 * (docs/notes/node.md#gas-estimates). First the call is estimated inside init code that forwards all gas to it, for which
 * the node gives a figure. The call's sender is then another address; if it does not accept that one, or if there is no
 * recipient, the smallest gas limit is searched with which `eth_call` returns something. Never rejects.
 */
export async function measureGas(
  service: Service,
  call: SimulatedCall,
  block: unknown,
  signal?: AbortSignal,
): Promise<MeasuredGas> {
  const read = (method: string, params: readonly unknown[], check: (result: unknown) => void) =>
    service.request(method, params, { check, signal }) as Promise<Hex>;
  const run = (tried: object) => read('eth_call', [tried, block], checkData);
  return (await insideInitCode()) ?? (await bySteps());

  async function insideInitCode(): Promise<MeasuredGas | null> {
    const { to, ...rest } = call;
    const data = bytesOf(call);
    if (to == null || forwarderSize + data.length > maxInitCodeSize) return null;
    const init = hexToBytes(forwarderTo(to));
    const tried = { ...rest, data: `${bytesToHex(init)}${bytesToHex(data).slice(2)}` };
    // A service may estimate a revert as well; only the call shows it then.
    const [estimate, isRun] = await Promise.all([
      read('eth_estimateGas', [tried, block], checkQuantity).then(BigInt, () => null),
      run(tried).then(
        () => true,
        () => false,
      ),
    ]);
    if (estimate === null) return null;
    // An EVM that keeps 1/64 of the gas from the call has that much left for the revert.
    if (estimate >= (isRun ? estimationCap : minExhaustion)) return allGas;
    if (!isRun) return null;
    const words = BigInt(Math.ceil((init.length + data.length) / 32));
    const gas = estimate - creationGas - init.reduce((sum, byte) => sum + (byte ? 16n : 4n), 2n * words);
    if (gas < 21_000n) return null;
    const hasValue = BigInt(call.value ?? '0x0') > 0n;
    // 757 gas for a short call on the node; an EVM that keeps 1/64 of the gas from a call adds that and a cold access.
    const overhead = 4_000n + gas / 40n + 9n * words + words ** 2n / 512n + (hasValue ? 11_500n : 0n);
    return { gas, minimum: gas - overhead, kind: 'measured' };
  }

  async function bySteps(): Promise<MeasuredGas> {
    /** Whether each suffices; `undefined` where the service could not be asked. */
    const returned = await Promise.all(
      steps.map((gas) =>
        run({ ...call, gas: toQuantity(gas) }).then(
          (result) => result !== '0x',
          (error) => (isOutOfReach(error) ? undefined : false),
        ),
      ),
    );
    const first = returned.indexOf(true);
    // A creation that returns no code even with all gas has failed.
    if (first < 0) return call.to == null && !returned.includes(undefined) ? allGas : unknownGas;
    const below = returned.lastIndexOf(false, first);
    const minimum = below < 0 ? 0n : (steps[below] as bigint) + 1n;
    return { gas: steps[first] as bigint, minimum, kind: 'measured' };
  }
}

/** Intrinsic gas of a creation beyond that of a call. */
const creationGas = 32_000n;

/** Minimum gas use of a call that exhausts its gas, of which an EVM keeps 1/64. */
const minExhaustion = (estimationCap * 62n) / 64n;

/** Gas limits that are tried. */
const steps = [100_000n, 200_000n, 400_000n, 800_000n, 1_600_000n, 3_200_000n, estimationCap];

const allGas: MeasuredGas = { gas: estimationCap, minimum: estimationCap, kind: 'uses-all' };

const bytesOf = ({ data }: SimulatedCall): Uint8Array => hexToBytes((data ?? '0x') as Hex);

/** Bytes of {@link forwarderTo}. */
const forwarderSize = 55;

/**
 * Init code that calls `to` with all gas, the value, and the bytes behind this code as data. It deploys nothing, and
 * reverts with the call's own payload if that reverts.
 */
const forwarderTo = (to: string): Hex =>
  `0x${[
    '60378038038091600039', // CODECOPY(0, 55, n)
    '6000600091600034', // 0 0 n 0 CALLVALUE
    `73${to.slice(2)}5af1`, // CALL(GAS, to, CALLVALUE, 0, n, 0, 0)
    '3d6000803e603557', // RETURNDATACOPY(0, 0, size); a success jumps to the end
    '3d6000fd5b00', // REVERT(0, size), or STOP
  ].join('')}`;
