import { createPaymentReader } from '../../../src/received/reader.js';
import type { ReceivedPayment } from '../../../src/received/received.js';
import { createRecords, type ReceivedRecord } from '../../../src/received/record.js';
import { isIn } from '../../../src/received/spans.js';
import { knownToken } from '../../../src/rpc/known-contracts.js';
import type { Address } from '../../../src/rpc/schema.js';
import type { Span } from '../../../src/service/logs/limits.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { createRandom } from '../../support/random.js';
import { createRandomChain, type PlayedBlock, type PlayedTransaction } from './random-chain.js';

/** Visits of a wallet to a chain that pays its accounts, and goes back again and again. */

const addressOf = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}`;
const accounts = [addressOf(0xa1), addressOf(0xa2), addressOf(0xa3)];
const strangers = [addressOf(0xb1), addressOf(0xb2), addressOf(0xb3)];
const contract = addressOf(0xc1);
/** tRIF, which the wallet lists, and a token that anyone has made. */
const [listed, spam] = ['0x19f64674d8a5b4e652319f5e239efd3bc969a1fe', addressOf(0xd1)] as const;

export interface Outcome {
  readonly wrong: readonly string[];
  readonly visits: number;
  readonly reorgs: number;
  readonly transfers: number;
  readonly mostRequests: number;
}

export async function playVisits(seed: number, { steps = 60 } = {}): Promise<Outcome> {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const hasTraces = random() < 0.75;
  const chain = createRandomChain({
    random,
    hasTraces,
    maxRange: pick([Number.POSITIVE_INFINITY, 2_000, 40]),
  });
  const storage = createMemoryStorage();
  const records = createRecords(storage);
  const wrong: string[] = [];
  let [visits, reorgs, transfers, mostRequests] = [0, 0, 0, 0];
  let isCut = false;
  /** Transactions that were signed here. */
  const signedHere = new Set<string>();

  const spentIn = (account: Address, span: Span): bigint =>
    chain.blocks
      .filter(({ number }) => isIn(number, span))
      .flatMap(({ transactions }) => transactions)
      .filter(({ hash, from }) => from === account && signedHere.has(hash))
      .reduce(
        (sum, { to, value, hasFailed }) => sum + chain.feeOf + (hasFailed || to === account ? 0n : value),
        0n,
      );
  const isWanted = ({ token, amount }: ReceivedPayment) =>
    amount !== '0x0' && (token === null || knownToken(31, token) !== null);
  const options = {
    chainId: 31,
    service: () => chain.service,
    records,
    spentIn,
    isWanted,
  };
  let reader = createPaymentReader(options);

  const transaction = (fields: Partial<PlayedTransaction>): PlayedTransaction => ({
    ...{ hash: chain.newHash(), from: pick(strangers), to: contract, value: 0n, movements: [], inner: [] },
    ...fields,
  });
  const amount = () => BigInt(1 + Math.floor(random() * 1e9));
  const payments: readonly (() => PlayedTransaction)[] = [
    () => transaction({ to: pick(accounts), value: amount() }),
    () => transaction({ to: pick(accounts), value: amount(), hasFailed: true }),
    () =>
      transaction({
        movements: [{ token: listed, from: pick(strangers), to: pick(accounts), amount: amount() }],
      }),
    () => {
      const movement = { token: listed, from: pick(strangers), to: pick(accounts), amount: amount() };
      return transaction({ movements: [movement, movement, { ...movement, to: pick(accounts) }] });
    },
    () =>
      transaction({
        movements: [
          { token: spam, from: pick(strangers), to: pick(accounts), amount: amount(), isCollectible: true },
        ],
      }),
    () =>
      transaction({ movements: [{ token: listed, from: pick(accounts), to: pick(accounts), amount: 0n }] }),
    () =>
      transaction({
        movements: Array.from({ length: 12 }, () => ({
          token: spam,
          from: pick(strangers),
          to: pick(accounts),
          amount: 1n,
        })),
      }),
    () => transaction({ inner: [{ to: pick(accounts), value: amount() }] }),
    () => {
      const own = transaction({
        from: pick(accounts),
        to: pick([...strangers, ...accounts]),
        value: amount(),
      });
      signedHere.add(own.hash);
      return own;
    },
    // A contract pays back in the account's own transaction.
    () => {
      const from = pick(accounts);
      const inner = [amount(), amount()].map((value) => ({
        to: random() < 0.8 ? from : pick(accounts),
        value,
      }));
      const own = transaction({ from, value: amount(), inner, hasFailed: random() < 0.2 });
      signedHere.add(own.hash);
      return own;
    },
    // Another wallet with the same key.
    () => transaction({ from: pick(accounts), to: pick(strangers), value: amount() }),
  ];

  const mine = (most: number, from: readonly PlayedTransaction[] = []) => {
    let left = from;
    const count = Math.floor(random() * most) + 1;
    for (let block = 0; block < count; block += 1) {
      const own = Array.from({ length: random() < 0.4 ? Math.floor(random() * 3) : 0 }, () =>
        pick(payments)(),
      );
      transfers += own.reduce((sum, { movements, value }) => sum + movements.length + Number(value > 0n), 0);
      const back = left.filter(() => random() < 0.5);
      left = left.filter((each) => !back.includes(each));
      chain.mine([...back, ...own]);
    }
  };

  const inSpans = (spans: readonly Span[], block: PlayedBlock) =>
    spans.some((span) => isIn(block.number, span));

  /** Holds what is known against the chain. */
  const check = async (record: ReceivedRecord, isWhole: boolean) => {
    // The reader keeps the newest thousand of unwanted payments.
    const isChecked = (token: Address | null, units: bigint) =>
      !isCut || (units > 0n && (token === null || knownToken(31, token) !== null));
    const top = record.anchors.at(-1)?.number ?? 0;
    const head = record.head?.number ?? 0;
    for (const account of accounts) {
      const final = record.accounts[account]?.spans ?? [];
      const spans = isWhole ? [...final, { from: top + 1, to: head }] : final;
      const blocks = chain.blocks.filter((block) => inSpans(spans, block));
      const truth = blocks.flatMap((block) =>
        block.transactions.flatMap(({ hash, to, value, from, movements, hasFailed }) => [
          ...(hasFailed ? [] : movements)
            .filter((each) => each.to === account && isChecked(each.token, each.amount))
            .map(
              (each) =>
                `${block.hash} ${hash} ${each.token} ${each.from} ${each.isCollectible ? `#${each.amount}` : each.amount}`,
            ),
          ...(to === account && from !== account && value > 0n && !hasFailed && hasTraces
            ? [`${block.hash} ${hash} null ${from} ${value}`]
            : []),
        ]),
      );
      const shown = record.payments
        .filter(({ account: to, token, amount: units }) => to === account && isChecked(token, BigInt(units)))
        .filter(({ blockNumber }) => spans.some((span) => isIn(Number(blockNumber), span)))
        .map(
          ({ blockHash, transaction: hash, token, from, amount: units, tokenId }) =>
            `${blockHash} ${hash} ${token} ${from} ${tokenId === undefined ? BigInt(units) : `#${BigInt(tokenId)}`}`,
        );
      // Where few requests were left they are changes of the balance.
      const innerTruth = new Map(
        blocks.flatMap((block) =>
          block.transactions.flatMap(
            ({ hash, to, inner, hasFailed }): readonly (readonly [string, bigint])[] => {
              const sum = inner.reduce((total, each) => total + (each.to === account ? each.value : 0n), 0n);
              return hasFailed || sum === 0n ? [] : [[`${block.hash} ${hash} null ${to} ${sum}`, sum]];
            },
          ),
        ),
      );
      const isInner = (each: string) => innerTruth.has(each);
      const missing = difference(truth, shown);
      const invented = [
        ...difference(
          shown.filter((each) => !isInner(each)),
          truth,
        ),
        ...difference(shown.filter(isInner), [...innerTruth.keys()]),
      ];
      if (missing.length > 0) wrong.push(`visit ${visits}: lost ${missing[0]}`);
      if (invented.length > 0) wrong.push(`visit ${visits}: invented or doubled ${invented[0]}`);
      // The steps sum up coins of contracts, less the spending of another wallet; without traces the payments, too.
      const [first, last] = [final[0], final.at(-1)];
      if (!first || !last || final.length > 1) continue;
      const all = chain.blocks
        .filter((block) => inSpans(final, block))
        .flatMap(({ transactions }) => transactions);
      const others = all.reduce((sum, { hash, from, to, value, inner, hasFailed }) => {
        const paid = hasFailed || from === to ? 0n : value;
        const lost = from === account && !signedHere.has(hash) ? chain.feeOf + paid : 0n;
        const plain = to === account && !hasTraces ? paid : 0n;
        const given = inner
          .filter((each) => each.to === account)
          .reduce((total, each) => total + each.value, 0n);
        return sum - lost + plain + (hasFailed ? 0n : given);
      }, 0n);
      let said = record.payments
        .filter(({ transaction: hash, blockHash, from, token, amount: units, account: to, blockNumber }) => {
          const isFinal = final.some((span) => isIn(Number(blockNumber), span));
          return (
            to === account && isFinal && isInner(`${blockHash} ${hash} ${token} ${from} ${BigInt(units)}`)
          );
        })
        .reduce((sum, each) => sum + BigInt(each.amount), 0n);
      for (const step of record.steps.filter((each) => each.account === account))
        said += BigInt(step.amount) + spentIn(account, step);
      if (said !== others)
        wrong.push(`visit ${visits}: ${account} changed by ${others}, and ${said} is told`);
    }
  };

  const visit = async ({ mayLag = true, further = random() < 0.2 } = {}) => {
    visits += 1;
    let isBehind = false;
    const maxLag = mayLag && random() < 0.3 ? 6 : 0;
    chain.setLag(() => {
      const lag = Math.floor(random() * (maxLag + 1));
      isBehind ||= lag > 0;
      return lag;
    });
    let isMoved = false;
    chain.onRequest(() => {
      if (!mayLag || random() > 0.02) return;
      isMoved = true;
      reorgs += 1;
      const depth = random() < 0.4 ? 12 + Math.floor(random() * 50) : 1 + Math.floor(random() * 6);
      mine(depth + 3, chain.remove(depth));
    });
    if (random() < 0.3) reader = createPaymentReader(options);
    chain.takeRequests();
    const asked = mayLag && random() < 0.2 ? [pick(accounts)] : accounts;
    const record = await reader.read(asked, further).catch(() => null);
    isCut ||= record !== null && record.payments.filter((each) => !isWanted(each)).length >= 1_000;
    mostRequests = Math.max(mostRequests, chain.takeRequests());
    chain.onRequest(() => {});
    chain.setLag(() => 0);
    const isOfNow = record?.head?.hash === chain.head().hash;
    if (record && isOfNow && !isMoved) await check(record, !isBehind && asked === accounts);
  };

  for (let step = 0; step < steps; step += 1) {
    const dice = random();
    if (dice < 0.35) mine(40);
    else if (dice < 0.4) mine(2_500);
    else if (dice < 0.65) {
      reorgs += 1;
      const depth = random() < 0.1 ? 10 + Math.floor(random() * 60) : 1 + Math.floor(random() * 9);
      mine(depth + 3, chain.remove(depth));
    } else await visit();
  }
  mine(20);
  for (let last = 0; last < 3; last += 1) await visit({ mayLag: false, further: false });
  if (mostRequests > 12) wrong.push(`${mostRequests} requests of one visit`);
  return { wrong, visits, reorgs, transfers, mostRequests };
}

/** Returns the items that one list has more often than the other. */
function difference(one: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const each of other) left.set(each, (left.get(each) ?? 0) + 1);
  return one.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count <= 0;
  });
}
