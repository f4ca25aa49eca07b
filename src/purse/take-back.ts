import type { QuestionNetwork } from '../approvals/question.js';
import { revertReason } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { checkAnyData } from '../rpc/results.js';
import type { Hash } from '../rpc/schema.js';
import { tokenCall } from '../rpc/token-calls.js';
import type { Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { higher, replacementPrice } from '../transactions/gas.js';
import { isPending } from '../transactions/journal-entry.js';
import { estimateGas, readHead, readQuantity } from '../transactions/prepare.js';
import type { TransactionRequest } from '../transactions/request.js';
import { readHoldings } from './holdings.js';
import type { PurseParts } from './parts.js';
import type { Purse } from './purse.js';
import { sendFromPurse } from './sender.js';

/** Gas of a payment without data. */
const paymentGas = 21_000n;

/** Sends everything to the account: tokens first, then the coins that pay for that. */
export async function sweep(
  purse: Purse,
  network: QuestionNetwork,
  origin: string,
  parts: PurseParts,
): Promise<readonly Hash[]> {
  const { session, journal, serviceOf, lendKey, now } = parts;
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
}

async function succeeds(service: Service, call: object): Promise<boolean> {
  try {
    await service.request('eth_call', [call, 'latest'], { check: checkAnyData });
    return true;
  } catch (error) {
    if (revertReason(error) === undefined) throw error;
    return false;
  }
}
