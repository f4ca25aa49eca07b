import type { Address, Hex } from '../rpc/schema.js';
import type { DecodedCall } from './decode-call.js';

/**
 * The effect of a call. `payment`: it has no data. `creation`: it deploys a contract. `transfer` and `approval`: tokens move,
 * or may be moved. `control`: an owner, a role, a module or the code of a contract changes. `delegation`: a vote is given
 * to another address. `execution`: it carries out the calls inside it. `harmless`: none of these. `unknown`: the wallet
 * does not know the function. `disguised`: it has the selector of a known function, and not its canonical encoding.
 */
export type CallEffect =
  | 'payment'
  | 'creation'
  | 'transfer'
  | 'approval'
  | 'control'
  | 'delegation'
  | 'execution'
  | 'harmless'
  | 'unknown'
  | 'disguised';

/** A call as the wallet reads it, with the calls that it carries out. */
export interface CallTree {
  /** The called contract; `null` for a deployment, and where the data does not say. */
  readonly to: Address | null;
  /** wei, decimal */
  readonly value: string;
  /** The first four bytes of the data, which name the function; `0x` for a call without data. */
  readonly selector: Hex;
  /** Effect of the call by itself, without the calls inside it. */
  readonly effect: CallEffect;
  /** Name of the function, such as `execTransaction`; `null` where it is not known. */
  readonly method: string | null;
  /** The arguments of a known function as text; long values are cut. */
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  /** Movements and rights of tokens, as common token calls: `transferAndCall` is a `transfer`, a batch is several. */
  readonly tokens: readonly DecodedCall[];
  /** Whether a right or a movement has no limit of amount: an unlimited allowance, all of a collection, or the greatest number. */
  readonly endless: boolean;
  /** Whether the code of `to` runs as that of its caller (delegatecall). */
  readonly delegated: boolean;
  /** Whether it passes on bytes that the wallet cannot read. */
  readonly opaque: boolean;
  /** The calls that it carries out, in order. */
  readonly inner: readonly CallTree[];
  /** Whether it may carry out more calls than `inner` lists: they are too many, too deep, or not in its data. */
  readonly truncated: boolean;
}
