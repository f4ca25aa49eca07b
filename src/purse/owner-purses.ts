import type { QuestionNetwork } from '../approvals/question.js';
import { addressOf } from '../keyring/signer.js';
import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { address as addressReader, text } from '../rpc/params.js';
import type { Address, Hash } from '../rpc/schema.js';
import { foundPurse, isUsed, readHoldings } from './holdings.js';
import type { PurseParts } from './parts.js';
import { maxPurses, pursePath } from './path.js';
import type { HeldPurse, Purse } from './purse.js';
import { sweep } from './take-back.js';

/** Unused purses of a site, one after another, after which no further one is looked for. */
const gap = 10;

/** Purses as their owner sees them. */
export interface OwnerPurses {
  /**
   * The purses of this vault, with what they hold.
   * @param lost sites whose used purses are looked for on the chain, and recorded as taken back
   * @throws ProviderRpcError 4100 locked; with `lost` as a read of the service
   */
  list(lost?: readonly string[]): Promise<readonly HeldPurse[]>;
  /**
   * Ends a purse, and sends what is in it back to its account. Coins that arrive later can be taken back in the same way.
   * @param origin the wallet's own page
   * @throws ProviderRpcError -32602 for another address; 4001 if it is not unlocked; and as a payment
   */
  takeBack(address: Address, origin: string): Promise<readonly Hash[]>;
}

export function createOwnerPurses(parts: PurseParts): OwnerPurses {
  const { session, keyring, approvals, records, serviceOf, networkOf, describe, now } = parts;

  const holdings = async (purse: Purse): Promise<HeldPurse> => {
    const { address, origin, account, chainId, endedAt } = purse;
    const held = { address, origin, account, chainId, ...(endedAt !== undefined && { endedAt }) };
    try {
      const { balance, tokens } = await readHoldings(serviceOf(chainId), address);
      return own({ ...held, balance: toQuantity(balance), tokens: tokens.map((each) => own(each)) });
    } catch {
      // Its node does not answer, or its network is not configured any more.
      return own({ ...held, balance: null, tokens: [] });
    }
  };

  const unlock = async (origin: string, network: QuestionNetwork): Promise<void> => {
    if (!keyring.locked()) return;
    await approvals.request({ kind: 'unlock', origin, network, warnings: [] }, null, { needsKeys: true });
  };

  /** The address of the key at a path of the mnemonic of an account. */
  const addressAt = (account: Address, path: string): Promise<Address> =>
    keyring.lendPurseKey(account, path, addressOf);

  const find = async (given: readonly string[]): Promise<void> => {
    if (!Array.isArray(given)) throw invalidParams('lost: expected an array');
    const origins = given.map((each, at) => text(each, `lost[${at}]`));
    const known = new Set((await records.all()).map(({ address }) => address));
    const found: Purse[] = [];
    const networks = [...parts.chainIds()].flatMap((chainId) => networkOf(chainId) ?? []);
    const accounts = session.state().accounts.filter(({ path }) => path !== null);
    for (const { address: account } of accounts)
      for (const { chainId, coinType } of networks)
        for (const origin of origins)
          for (let count = 0, unused = 0; unused < gap && count < maxPurses; count++) {
            const path = pursePath(coinType, origin, count);
            const address = await addressAt(account, path);
            if (known.has(address)) continue;
            if (!(await isUsed(serviceOf(chainId), address))) {
              unused++;
              continue;
            }
            unused = 0;
            known.add(address);
            found.push(foundPurse({ address, path, origin, account, chainId }, now()));
          }
    if (found.length > 0)
      await records.change((all) => [
        ...all,
        ...found.filter(({ address }) => !all.some((each) => each.address === address)),
      ]);
  };

  return {
    async list(lost) {
      if (lost !== undefined) await find(lost);
      return Promise.all((await records.all()).map(holdings));
    },
    async takeBack(given, origin) {
      const address = addressReader(given, 'address');
      const active = networkOf(session.state().chainId);
      if (active) await unlock(origin, describe(active));
      const purse = (await records.all()).find((each) => each.address === address);
      if (!purse) throw invalidParams('address: there is no such purse');
      const network = networkOf(purse.chainId);
      if (!network) throw invalidParams(`address: its chain ${purse.chainId} is not configured`);
      if ((await addressAt(purse.account, purse.path)) !== address)
        throw invalidParams('address: this purse belongs to another recovery phrase');
      // From here on no window gives its key, whatever becomes of the rest.
      if (purse.endedAt === undefined)
        await records.change((all) =>
          all.map((each) => (each.address === address ? { ...each, endedAt: now() } : each)),
        );
      return sweep(purse, describe(network), origin, parts);
    },
  };
}
