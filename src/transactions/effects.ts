import { bytesToHex, hexToBytes, integerToBytes, toQuantity } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { knownToken } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import { checkLogs } from '../rpc/results.js';
import { encodeRlp } from '../rpc/rlp.js';
import type { Address, Hex, Log, Receipt } from '../rpc/schema.js';
import { addressIn, readTransferLog, tokenTopics, wordIn } from '../rpc/token-events.js';
import type { Effect } from './journal-entry.js';

/** Effects that are kept of one transaction. */
const maxEffects = 16;

/**
 * Reads from the logs of a transaction what it did to its account: tokens that left it and came to it, each token once, and rights
 * that the account gave. Those of most weight come first: what left in listed tokens, rights, what came in listed ones. None for logs that
 * are damaged. Any contract can write any log, so a token that the wallet does not list may lie.
 *
 * @example
 * const effects = effectsOf(receipt, account, 30); // [{ kind: 'paid', token: '0x2acc…', amount: '0xa688906bd8b00000' }]
 */
export function effectsOf({ logs }: Receipt, account: Address, chainId: number): readonly Effect[] {
  try {
    checkLogs(logs);
    return readEffects(logs, account, chainId);
  } catch {
    return [];
  }
}

/** The address of the contract that an account creates: the node's word for it would be copied and paid. */
export const createdAddress = (from: Address, nonce: Hex): Address =>
  `0x${bytesToHex(keccak256(encodeRlp([hexToBytes(from), integerToBytes(BigInt(nonce))]))).slice(26)}`;

function readEffects(logs: readonly Log[], account: Address, chainId: number): readonly Effect[] {
  const moved = new Map<Address, { units: bigint; isCollectible: boolean }>();
  const rights = new Map<string, Effect>();
  const isListed = (token: Address | null) => token === null || knownToken(chainId, token) !== null;
  let coins = 0n;

  const move = (token: Address, units: bigint, isCollectible = false) => {
    const before = moved.get(token)?.units ?? 0n;
    moved.set(token, { units: before + units, isCollectible });
  };
  const distinct = new Map(
    logs
      .filter(({ removed }) => removed !== true)
      .map((log) => [[log.logIndex, log.address, ...log.topics, log.data].join(), log]),
  );
  for (const log of distinct.values()) {
    const transfer = readTransferLog(log);
    if (transfer) {
      const isCollectible = transfer.tokenId !== undefined;
      if (transfer.to === account) move(transfer.token, transfer.amount, isCollectible);
      if (transfer.from === account) move(transfer.token, -transfer.amount, isCollectible);
      continue;
    }
    const token = log.address.toLowerCase() as Address;
    const [event, owner, other] = [log.topics[0], addressIn(log.topics[1]), addressIn(log.topics[2])];
    if (owner !== account) continue;
    const word = wordIn(log.data);
    if (knownToken(chainId, token)?.symbol === 'WRBTC' && word !== null) {
      if (event === tokenTopics.deposit) move(token, word);
      if (event === tokenTopics.withdrawal) {
        move(token, -word);
        coins += word;
      }
    }
    const right = other === null ? null : rightOf(log, word);
    if (right && other !== null)
      rights.set(
        `${token} ${other} ${event} ${log.topics[3]}`,
        own<Effect>({ kind: 'allowed', token, spender: other, ...right }),
      );
  }
  const movements = [...moved].flatMap(([token, { units, isCollectible }]): readonly Effect[] => {
    if (units === 0n) return [];
    const amount = toQuantity(units < 0n ? -units : units);
    return [
      { kind: units < 0n ? 'paid' : 'received', token, amount, ...(isCollectible && { isCollectible }) },
    ];
  });
  const withdrawn: readonly Effect[] =
    coins === 0n ? [] : [{ kind: 'received', token: null, amount: toQuantity(coins) }];
  const rank = ({ kind, token }: Effect): number =>
    (isListed(token) ? 0 : 3) + ['paid', 'allowed', 'received'].indexOf(kind);
  return [...movements, ...withdrawn, ...rights.values()]
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, maxEffects);
}

/** The right in an approval; `null` for any other log. */
function rightOf(
  { topics }: Log,
  word: bigint | null,
): Pick<Extract<Effect, { kind: 'allowed' }>, 'amount' | 'isCollectible'> | null {
  if (topics[0] === tokenTopics.approvalForAll && word !== null)
    return { amount: word === 0n ? '0x0' : 'all', isCollectible: true };
  if (topics[0] !== tokenTopics.approval) return null;
  // The approval of one item goes to the zero address when it is taken away.
  if (topics[3] !== undefined)
    return { amount: BigInt(topics[2] ?? 0) === 0n ? '0x0' : '0x1', isCollectible: true };
  return word === null ? null : { amount: toQuantity(word) };
}
