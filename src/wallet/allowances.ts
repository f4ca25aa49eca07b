import { decodeCall } from '../approvals/decode-call.js';
import { type Allowance, type GivenRight, readAllowances, revocation } from '../assets/allowances.js';
import { permitsOf } from '../assets/signed-permits.js';
import { own } from '../rpc/own.js';
import { type Address, type Hash, isAddress } from '../rpc/schema.js';
import { asPerson } from '../service/service.js';
import { isMined, type JournalEntry } from '../transactions/journal-entry.js';
import type { Core } from './core.js';
import { readAddress, readOwnAccount } from './owner/arguments.js';
import type { Payments } from './payments.js';

/** Rights over tokens that the accounts have given, and taking them back. They concern the active network. */
export interface Allowances {
  /**
   * The rights that were given from this browser, by transactions and by signed permits (ERC-2612), as far as something is left of
   * them on the chain, the newest first. It reads the chain by one request for 25 of them, and at most the newest 100. Rights that
   * were given elsewhere are not found: the whole history would take thousands of requests. Nor are those in Permit2.
   *
   * @example
   * for (const { token, spender, isUnlimited } of await wallet.allowances()) if (isUnlimited) console.log(token, spender);
   *
   * @throws ProviderRpcError -32602 for an account that the wallet does not have
   */
  allowances(account?: Address): Promise<readonly Allowance[]>;
  /**
   * Takes a right back, by an ordinary transaction that the dialog asks about. Resolves with its hash.
   *
   * @example
   * const [first] = await wallet.allowances();
   * if (first) await wallet.revoke(first);
   *
   * @throws ProviderRpcError -32602 for an account that the wallet does not have; and as {@link Payments.send}
   */
  revoke(allowance: Pick<Allowance, 'account' | 'token' | 'spender' | 'amount'>): Promise<Hash>;
}

export function createAllowances(core: Core, payments: () => Promise<Payments>): Allowances {
  const { session } = core.context;

  return {
    async allowances(account) {
      const asked = account === undefined ? undefined : readOwnAccount(account, session, 'account');
      const { chainId, accounts } = session.state();
      const { journal } = await core.signing();
      const [entries, permits] = await Promise.all([
        journal.newest(chainId),
        permitsOf(core.storage, chainId).catch(() => []),
      ]);
      const given = [
        ...entries.filter(isMined).flatMap(rightsIn),
        ...permits.map(({ at, ...permit }) => ({ ...permit, givenAt: at, isForAll: false })),
      ];
      const isAsked = (right: GivenRight) =>
        asked === undefined
          ? accounts.some(({ address }) => address === right.account)
          : right.account === asked;
      return readAllowances(asPerson(core.chain(chainId).reads.fresh), given.filter(isAsked));
    },
    async revoke(allowance) {
      const fields = own(Object(allowance) as Parameters<Allowances['revoke']>[0]);
      const from = readOwnAccount(fields.account, session, 'allowance.account');
      const token = readAddress(fields.token, 'allowance.token');
      const spender = readAddress(fields.spender, 'allowance.spender');
      const data = revocation({ spender, amount: fields.amount });
      return (await payments()).send({ from, to: token, data });
    },
  };
}

/** The rights that a mined transaction gave: by its calldata, and by its logs where these are known. */
function rightsIn({ from, to, data, createdAt, effects = [] }: JournalEntry): readonly GivenRight[] {
  const right = (token: Address, spender: Address, isForAll: boolean): GivenRight => ({
    ...{ account: from, token, spender, isForAll, givenAt: createdAt },
  });
  const logged = effects.flatMap((effect) =>
    effect.kind === 'allowed' ? right(effect.token, effect.spender, effect.amount === 'all') : [],
  );
  const call = isAddress(to) && typeof data === 'string' ? decodeCall(to, data) : null;
  switch (call?.name) {
    case 'approve':
    case 'increaseAllowance':
      return [...logged, right(call.token.address, call.spender, false)];
    case 'setApprovalForAll':
      return [...logged, right(call.token.address, call.operator, true)];
    default:
      return logged;
  }
}
