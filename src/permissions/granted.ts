import type { TokenLabel } from '../approvals/decode-call.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';

/** A permission that a person has granted and that has not ended, with what is left of it. */
export interface GrantedPermission extends PermissionTerms {
  /** Names it: 32 random bytes, no secret. */
  readonly context: Hash;
  /** The site that may use it. */
  readonly origin: string;
  /** The account that pays. */
  readonly account: Address;
  /** As a number, such as 30. */
  readonly chainId: number;
  /** Symbol and decimals of `token`. */
  readonly tokenLabel?: TokenLabel | undefined;
  /** When it was granted, milliseconds since 1970. */
  readonly grantedAt: number;
  /** The rest of the present period, in the unit of `amount`. Never too much. */
  readonly left: Hex;
  /** The rest of `fees` in the present period, wei. */
  readonly feesLeft?: Hex | undefined;
  /** The rest of the whole term, in the unit of `amount`. */
  readonly leftInAll: Hex;
}
