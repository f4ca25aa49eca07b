import type { QuestionNetwork } from '../approvals/question.js';
import { addressOf } from '../keyring/signer.js';
import { revertReason } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { address as addressReader, text } from '../rpc/params.js';
import { checkAnyData } from '../rpc/results.js';
import type { Address, Hash } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { higher, replacementPrice } from '../transactions/gas.js';
import { isPending } from '../transactions/journal-entry.js';
import { estimateGas, readHead, readQuantity } from '../transactions/prepare.js';
import type { TransactionRequest } from '../transactions/request.js';
import { foundPurse, isUsed, readHoldings } from './holdings.js';
import type { PurseParts } from './parts.js';
import { maxPurses, pursePath } from './path.js';
import type { HeldPurse, Purse } from './purse.js';
import { sendFromPurse } from './sender.js';

/** Gas of a payment without data. */
const paymentGas = 21_000n;
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
  const { session, keyring, journal, approvals, records, lendKey, serviceOf, networkOf, describe, now } =
    parts;

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

  /** Sends everything to the account: tokens first, then the coins that pay for that. */
  const sweep = async (purse: Purse, network: QuestionNetwork, origin: string): Promise<readonly Hash[]> => {
    const { address: from, account, chainId } = purse;
    const service = serviceOf(chainId);
    const count = (selector: string) => readQuantity(service, 'eth_getTransactionCount', [from, selector]);
    const [{ balance, tokens }, latest, pending, suggested, head] = await Promise.all([
      readHoldings(service, from),
      count('latest'),
      count('pending'),
      readQuantity(service, 'eth_gasPrice', []),
      readHead(service),
    ]);
    const open = (await journal.entriesOf(chainId, from)).filter(
      (entry) => isPending(entry, now()) && BigInt(entry.nonce) >= BigInt(latest),
    );
    // It is on its way.
    if (open.length > 0) return open.map(({ hash }) => hash);
    // Transactions of the site are in the mempool: those of the person take their nonces, at a price that beats them.
    const isContested = BigInt(pending) > BigInt(latest);
    const usual = higher(BigInt(suggested), BigInt(own(head).minimumGasPrice ?? 0));
    const price = isContested ? replacementPrice(toQuantity(replacementPrice(toQuantity(usual)))) : usual;
    let fees = 0n;
    const requests: TransactionRequest[] = [];
    for (const { address: to, balance: units } of tokens) {
      const data = tokenCall('transfer', account, BigInt(units));
      // A token that is paused keeps nothing else back.
      if (!(await succeeds(service, { from, to, data }))) continue;
      const estimate = BigInt(await estimateGas(service, { from, to, data }));
      const gas = (estimate * 6n) / 5n;
      fees += gas * price;
      requests.push({ from, to, value: '0x0', data, gas: toQuantity(gas) });
    }
    const coins = balance - fees - paymentGas * price;
    if (coins > 0n)
      requests.push({ from, to: account, value: toQuantity(coins), data: '0x', gas: toQuantity(paymentGas) });
    const requester: Requester = {
      origin,
      account: { address: from, label: purse.origin, path: purse.path },
      ownAddresses: session.state().accounts.map(({ address }) => address),
      network,
      service,
      stillAllowed: () => true,
    };
    const hashes: Hash[] = [];
    for (const [at, request] of requests.entries()) {
      const nonce = isContested ? toQuantity(BigInt(latest) + BigInt(at)) : undefined;
      const full = own({ ...request, gasPrice: toQuantity(price), nonce });
      hashes.push(
        await sendFromPurse(full, requester, { ...parts, judge() {}, lendKey: () => lendKey(purse) }),
      );
    }
    return hashes;
  };

  const succeeds = async (service: Service, call: object): Promise<boolean> => {
    try {
      await service.request('eth_call', [call, 'latest'], { check: checkAnyData });
      return true;
    } catch (error) {
      if (revertReason(error) === undefined) throw error;
      return false;
    }
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
      return sweep(purse, describe(network), origin);
    },
  };
}
