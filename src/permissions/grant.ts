import { own } from '../rpc/own.js';
import type { PermissionTerms } from '../rpc/permission-terms.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';

/** A granted permission as the vault keeps it. */
export interface Grant extends PermissionTerms {
  /** 32 random bytes that name it. No secret. */
  readonly context: Hash;
  readonly origin: string;
  readonly account: Address;
  readonly chainId: number;
  /** The nonce of the account from which on each transaction is accounted for. */
  readonly firstNonce: Hex;
  /** When the site was connected: a permission ends with the connection. Milliseconds since 1970. */
  readonly connectedAt: number;
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
  /** Contexts of permissions of the same kind that it has replaced: what they have spent counts. */
  readonly replaced: readonly Hash[];
  /** The payees or contracts of those, the last 200. */
  readonly formerly?: readonly Address[] | 'anyone' | undefined;
  /** The code of each of `contracts` when the person agreed; see {@link codeDigestOf}. */
  readonly code: Readonly<Record<Address, Hash>>;
  /** The permission as the site requested it, and as it was granted. */
  readonly request: PermissionReply;
}

/** A granted permission in the words of ERC-7715. */
export interface PermissionReply {
  readonly chainId: Hex;
  readonly from: Address;
  readonly to: Address;
  readonly permission: {
    readonly type: string;
    readonly isAdjustmentAllowed: boolean;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly rules: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
}

/** A granted permission as the site gets it (ERC-7715). There is no contract that redeems it: the wallet itself signs. */
export interface GrantedReply extends PermissionReply {
  readonly context: Hash;
  readonly dependencies: readonly [];
}

/** Kinds of the optional records of a vault: a grant as JSON in UTF-8, and the key that marks journal entries. */
export const recordKinds = { grant: 128, ledgerKey: 129 } as const;

export const encodeGrant = (grant: Grant): Uint8Array => new TextEncoder().encode(JSON.stringify(grant));

/** Reads the grants of a vault. A record of a later build that lacks something is left out: it covers nothing. */
export const decodeGrants = (records: readonly Uint8Array[]): readonly Grant[] =>
  records.flatMap((bytes) => {
    try {
      return readGrants([JSON.parse(new TextDecoder().decode(bytes))]);
    } catch {
      return [];
    }
  });

/** The grants among values of any type. */
export const readGrants = (values: readonly unknown[]): readonly Grant[] =>
  values.map((value) => own(Object(value) as Grant)).filter(isSound);

function isSound(grant: Grant): boolean {
  const {
    context,
    amount,
    fees = '0x0',
    firstNonce,
    start,
    end,
    period = 1,
    replaced,
    code,
    request,
  } = grant;
  return (
    [context, amount, fees, firstNonce].every(
      (each) => typeof each === 'string' && /^0x[\da-f]+$/.test(each),
    ) &&
    [start, end, period].every((each) => Number.isSafeInteger(each) && each > 0) &&
    Array.isArray(replaced) &&
    typeof code === 'object' &&
    typeof request === 'object'
  );
}

/** Whether two permissions are of one kind and token, so that a new one takes the place of the other. */
export const areAlike = (a: Grant, b: Grant): boolean =>
  a.origin === b.origin && a.account === b.account && a.chainId === b.chainId && kindOf(a) === kindOf(b);

/** Permissions of both native types are for the coins of the account, and so are both of a token. */
export const kindOf = ({ type, token }: PermissionTerms): string => token ?? type.split('-')[0] ?? type;
