import { revertReason } from '../rpc/core-errors.js';
import { toQuantity } from '../rpc/hex.js';
import { own } from '../rpc/own.js';
import { recoverAddress } from '../rpc/recover.js';
import {
  checkBlock,
  checkBlockNumber,
  checkQuantity,
  checkReceiptOf,
  checkTransactionWithHash,
} from '../rpc/results.js';
import type { Address, Block, Hash, Hex, Receipt, Transaction } from '../rpc/schema.js';
import { type AccessList, serialize, signingDigest, type UnsignedTransaction } from '../rpc/transaction.js';
import type { Service } from '../service/service.js';
import type { Inclusion, Replacement } from './journal.js';
import type { JournalEntry } from './journal-entry.js';
import { readQuantity } from './prepare.js';

/** State of a transaction at the service. `absent` proves nothing, since the node may lag. */
export type LookupResult =
  | { readonly kind: 'included'; readonly receipt: Receipt }
  | { readonly kind: 'known' }
  | { readonly kind: 'absent' };

/**
 * Reads the receipt, and without one the transaction.
 * @throws ProviderRpcError as the service's request
 */
export async function lookUp(service: Service, hash: Hash): Promise<LookupResult> {
  const receipt = await receiptOf(service, hash);
  if (receipt) return { kind: 'included', receipt };
  const params = [hash] as const;
  const transaction = await service.request('eth_getTransactionByHash', params, {
    check: (result) => checkTransactionWithHash(result, params),
  });
  return { kind: transaction === null ? 'absent' : 'known' };
}

/** Fate of a transaction that may have been sent. `absent` proves nothing. */
export type Outcome = LookupResult | { readonly kind: 'replaced'; readonly by: Replacement };

/**
 * Looks a transaction up by its hash, then by its nonce. Never rejects.
 * @param attempts how often, one second apart: a node behind a load balancer may lag
 */
export async function findOutcome(
  service: Service,
  { hash, from, nonce }: Pick<JournalEntry, 'hash' | 'from' | 'nonce'>,
  attempts: number,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const found = await lookUp(service, hash).catch((): LookupResult => ({ kind: 'absent' }));
    if (found.kind !== 'absent') return found;
    const mined = await findByNonce(service, from, nonce).catch(() => null);
    // In a block, although the service has no receipt for it yet.
    if (mined?.hash === hash) return { kind: 'known' };
    if (mined) {
      const { transaction: _, ...by } = mined;
      return { kind: 'replaced', by };
    }
    if (attempt >= attempts) return found;
    await new Promise((done) => setTimeout(done, attemptInterval));
  }
}

/** Milliseconds. */
const attemptInterval = 1_000;

/** @throws ProviderRpcError as the service's request */
export async function receiptOf(service: Service, hash: Hash): Promise<Receipt | null> {
  const params = [hash] as const;
  return (await service.request('eth_getTransactionReceipt', params, {
    check: (result) => {
      checkReceiptOf(result, params);
      const { gasUsed, effectiveGasPrice } = (result ?? {}) as Partial<Receipt>;
      for (const quantity of [gasUsed, effectiveGasPrice]) checkQuantity(quantity ?? '0x0');
    },
  })) as Receipt | null;
}

/** Reads the fields of a receipt that the journal records. For a failed transaction it includes the likely reason. */
export async function readInclusion(
  service: Service,
  entry: JournalEntry,
  receipt: Receipt,
): Promise<Inclusion> {
  const { blockNumber, blockHash, gasUsed, effectiveGasPrice } = receipt;
  const price = BigInt((effectiveGasPrice as Hex | undefined) ?? entry.gasPrice);
  const common = {
    blockNumber,
    blockHash,
    ...(gasUsed !== undefined && { fee: toQuantity(BigInt(gasUsed) * price) }),
  };
  if (receipt.status !== '0x0')
    return { state: 'mined', ...common, ...(await readEffects(service, entry, receipt)) };
  const reason = await whyReverted(service, entry, receipt);
  return { state: 'reverted', ...common, ...(reason !== undefined && { reason }) };
}

/** Reads what a receipt shows beside the outcome; nothing if the code does not load. */
async function readEffects(
  service: Service,
  { from, to, nonce }: JournalEntry,
  receipt: Receipt,
): Promise<Pick<Inclusion, 'effects' | 'created'>> {
  if (to !== null && !(Object(receipt.logs).length > 0)) return {};
  const code = await import('./effects.js').catch(() => null);
  const effects = code?.effectsOf(receipt, from, service.network.chainId) ?? [];
  return {
    ...(to === null && code && { created: code.createdAddress(from, nonce) }),
    ...(effects.length > 0 && { effects }),
  };
}

/**
 * Repeats the transaction as a call on the state after its block, then on the state before it. The state inside the
 * block is not available, so the reason is only likely. The node returns `0x` for a call that runs out of gas, which is
 * recognised by the gas used.
 */
async function whyReverted(
  service: Service,
  { from, to, value, data, gas, gasPrice }: JournalEntry,
  { blockNumber, gasUsed }: Receipt,
): Promise<string | undefined> {
  const call = { from, ...(to !== null && { to }), value, data, gas, gasPrice };
  for (const block of [blockNumber, toQuantity(BigInt(blockNumber) - 1n)]) {
    try {
      await service.request('eth_call', [call, block]);
    } catch (error) {
      const reason = revertReason(error);
      if (reason !== undefined) return reason || 'no reason given';
    }
  }
  return gasUsed !== undefined && BigInt(gasUsed) >= BigInt(gas) ? 'out of gas' : undefined;
}

/** Blocks searched back for the transaction that used a nonce: about two weeks of Rootstock. */
const maxDepth = 2 ** 15;

/**
 * Finds the mined transaction with this nonce by bisection over the account's transaction count at past blocks. It
 * proves that no other transaction with the nonce can be mined.
 *
 * @returns `null` if it is not found; nodes behind a load balancer may disagree
 * @throws ProviderRpcError as the service's request, also if it has no state of past blocks
 */
export async function findByNonce(
  service: Service,
  from: Address,
  nonce: Hex,
): Promise<(Replacement & { readonly transaction: Transaction }) | null> {
  const wanted = BigInt(nonce);
  const usedAt = async (block: bigint) =>
    BigInt(await readQuantity(service, 'eth_getTransactionCount', [from, toQuantity(block)])) > wanted;
  const head = BigInt(
    (await service.request('eth_blockNumber', [], {
      check: checkBlockNumber,
    })) as Hex,
  );
  if (!(await usedAt(head))) return null;
  // Invariant: the nonce is used at block `used`, and not at block `unused` or below.
  let used = head;
  let unused = -1n;
  for (let step = 1n; used > 0n && step <= maxDepth; step *= 2n) {
    const probe = head > step ? head - step : 0n;
    if (await usedAt(probe)) used = probe;
    else {
      unused = probe;
      break;
    }
    if (probe === 0n) break;
  }
  if (unused < 0n && used > 0n) return null;
  while (used - unused > 1n) {
    const middle = (used + unused) / 2n;
    if (await usedAt(middle)) used = middle;
    else unused = middle;
  }
  const block = (await service.request('eth_getBlockByNumber', [toQuantity(used), true], {
    check: checkBlock,
  })) as Block | null;
  const found = block?.transactions.find(
    (each): each is Transaction =>
      typeof each !== 'string' && each.from?.toLowerCase() === from && BigInt(each.nonce) === wanted,
  );
  if (!block?.hash || !block.number || !found) return null;
  // An endpoint can make up a block, but not a signature of the account.
  if (!isSignedBy(found, from, service.network.chainId)) return null;
  const hash = found.hash.toLowerCase() as Hash;
  return { hash, blockHash: block.hash, blockNumber: block.number, transaction: found };
}

/** Whether `from` signed a transaction for this chain as the service shows it, and its hash is that of its bytes. */
function isSignedBy(shown: Transaction, from: Address, chainId: number): boolean {
  try {
    const { nonce, gas, to, value, input, type, maxFeePerGas, maxPriorityFeePerGas, accessList, ...rest } =
      own(shown as Transaction & Partial<TypedFields>);
    const isTyped = type === '0x1' || type === '0x2';
    const yParity = Number(rest.v) - (isTyped ? 0 : 35 + 2 * chainId);
    if (yParity !== 0 && yParity !== 1) return false;
    const transaction = {
      ...{ chainId, nonce, gas, to, value, data: input },
      gasPrice: type === '0x2' && maxFeePerGas !== undefined ? maxFeePerGas : rest.gasPrice,
      ...(isTyped && { transactionType: type, accessList: accessList ?? [] }),
      ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas }),
    } as UnsignedTransaction;
    const signature = { r: BigInt(rest.r as Hex), s: BigInt(rest.s as Hex), yParity } as const;
    return (
      recoverAddress(signingDigest(transaction), signature) === from &&
      serialize(transaction, signature).hash === shown.hash.toLowerCase()
    );
  } catch {
    return false;
  }
}

/** Fields of transactions of types 1 and 2. */
interface TypedFields {
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
  readonly accessList: AccessList;
}
