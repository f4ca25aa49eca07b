import { expect, test } from 'vitest';
import { decodeSigned } from '../../../packages/kit/src/local/decode.js';
import type { Hex } from '../../../packages/kit/src/local/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { alice, bob, carol, nobody, sign, type Wish } from '../../support/local-client.js';
import type { Page } from './page.js';
import { failsWith, inBothDialects, type Row, returns, testRows } from './rows.js';

hastenKdfOfFile();

/** The outcome of a send does not depend on the service's reply (docs/notes/node.md#sending). */

const pool = (message: string) => failsWith(-32010, message, { status: 200 });
const send =
  (wish: Wish, account = alice) =>
  async () =>
    ['eth_sendRawTransaction', await sign(wish, account)] as const;
const both = (said: Row['seed']) => ({ seed: said, node: said });
const rejected = (message: string | RegExp) => failsWith(-32003, message);

/** Signed by alice, whose transaction with nonce 8 is pending. */
const refused: readonly Row[] = [
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a sender without balance and nonce is rejected',
    ask: send({}, carol),
    ...both(pool("the sender account doesn't exist")),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'more gas than the block gas limit is rejected',
    ask: send({ nonce: 9, gas: 6_800_001n }),
    ...both(pool("transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000")),
    page: rejected('exceeds block gas limit'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a used nonce is rejected',
    ask: send({ nonce: 3 }),
    ...both(pool('transaction nonce too low')),
    page: rejected('nonce too low'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a nonce sixteen ahead is rejected',
    ask: send({ nonce: 24 }),
    ...both(pool('transaction nonce too high')),
    page: rejected('nonce too high'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'fees over the balance are rejected',
    ask: send({ nonce: 0, gas: 6_000_000n, gasPrice: 4_000_000_000n }, bob),
    ...both(pool('insufficient funds')),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: "a price below the block's minimum is rejected",
    ask: send({ nonce: 9, gasPrice: 1n }),
    ...both(pool("transaction's gas price lower than block's minimum")),
    page: rejected(/less than block base fee/),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'less gas than the intrinsic gas is rejected',
    ask: send({ nonce: 9, gas: 20_000n }),
    ...both(pool("transaction's basic cost is above the gas limit")),
    page: rejected('intrinsic gas too low'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a price over eighty times the minimum is rejected',
    ask: send({ nonce: 9, gasPrice: 59_240_000n * 80n + 1n }),
    ...both(pool("transaction's gas price exceeds cap")),
    page: rejected(/cap/),
  },
  {
    section: 'docs/notes/node.md#replacement',
    title: 'a replacement that pays less than 40 % more is rejected',
    ask: send({ nonce: 8, gasPrice: 80_000_000n }),
    ...both(pool('gas price not enough to bump transaction')),
    page: rejected('replacement transaction underpriced'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'value and fees over the balance are rejected',
    ask: send({ nonce: 0, value: 10n ** 15n }, bob),
    ...both(pool('insufficient funds to pay for pending and new transactions')),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    title: 'a transaction for another chain is rejected',
    ask: send({ nonce: 9, chainId: 30 }),
    ...both(failsWith(-32602, 'Invalid chainId: 30', { status: 400 })),
    page: failsWith(-32602, /chain/i),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    title: 'a typed transaction is rejected',
    ask: async () => ['eth_sendRawTransaction', `0x02${(await sign({ nonce: 9 })).slice(2)}`],
    ...both(failsWith(-32603, 'Internal server error', { status: 200 })),
    page: failsWith(-32602, /type|legacy/i),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    title: 'truncated bytes are rejected',
    ask: async () => ['eth_sendRawTransaction', (await sign({ nonce: 9 })).slice(0, -2)],
    ...both(failsWith(-32602, 'Invalid input: ', { status: 400 })),
    page: failsWith(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    title: 'text that is not hexadecimal is rejected',
    ask: ['eth_sendRawTransaction', 'hello'],
    ...both(failsWith(-32602, 'Invalid data format: invalid hex value.', { status: 400 })),
    page: failsWith(-32602, /^params\[0\]/),
  },
];

const accepted: readonly Row[] = [
  {
    section: 'docs/notes/node.md#pool-rules',
    title: 'a pending transaction can be sent again',
    ask: send({ nonce: 8 }),
    ...both(pool('pending transaction with same hash already exists')),
    page: ({ chain }) => returns(chain.waiting),
  },
];

testRows([...refused, ...accepted]);

inBothDialects({ account: true }, (page) => {
  const pay = async (fields: object = {}) => {
    const [from] = (await page().wallet.provider.request({ method: 'eth_accounts' })) as Hex[];
    return page().ask('eth_sendTransaction', { from, to: nobody, value: '0x1', ...fields });
  };
  const lastSent = () => decodeSigned((page().sent('eth_sendRawTransaction').at(-1) as [Hex])[0], 33);
  const mined = async (hash: unknown) => {
    await page().service.controls.mine();
    return page().ask('eth_getTransactionReceipt', hash);
  };

  test('eth_sendTransaction is never forwarded, nor are its defaults', async () => {
    expect(await page().wire('eth_sendTransaction', { from: nobody })).toEqual(
      failsWith(-32602, 'Local wallet is disabled in this node', { status: 400 }),
    );
    const before = page().sent('eth_sendTransaction').length;
    const { result } = (await pay()) as { result: Hex };
    expect(page().sent('eth_sendTransaction').length).toBe(before);
    const { gas, gasPrice, from } = lastSent();
    // Neither the seed's default gas of 90,000 nor its default price of 0, which is below every minimum.
    expect(gas).toBe(21_000n);
    expect(gasPrice).toBe((59_240_000n * 11n) / 10n);
    expect(from).not.toBe(alice.address.toLowerCase());
    expect(await mined(result)).toEqual(
      returns(expect.objectContaining({ status: '0x1', gasUsed: '0x5208' })),
    );
  });

  /** Possible replies to a transaction that the service has accepted (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
  const answers: readonly [title: string, spoil: (page: Page) => void][] = [
    ['the zero hash', ({ service }) => service.controls.zeroHashReplies()],
    ['another hash', ({ service }) => service.controls.wrongHashReplies()],
    ['null', ({ distort }) => void distort('eth_sendRawTransaction', () => null)],
    ['nothing: the reply is lost', ({ service }) => void service.controls.dropReplies(sends())],
    ['half a reply', ({ service }) => void service.controls.garbleReplies('truncated', sends())],
    ['a page of HTML', ({ service }) => void service.controls.garbleReplies('html', sends())],
  ];

  test.each(answers)(
    'the hash is the one of the signed bytes, answered with %s (docs/notes/node.md#where-the-node-differs-from-the-description)',
    async (_, spoil) => {
      spoil(page());
      const said = await pay();
      page().service.controls.clearFaults();
      const { hash } = lastSent();
      expect(said).toEqual(returns(hash));
      expect(await mined(hash)).toEqual(
        returns(expect.objectContaining({ transactionHash: hash, status: '0x1' })),
      );
    },
  );

  test.each(answers.slice(0, 3))(
    'the hash is the one of bytes that the page signed, answered with %s (docs/notes/node.md#where-the-node-differs-from-the-description)',
    async (_, spoil) => {
      spoil(page());
      const nonce = Number(
        ((await page().wire('eth_getTransactionCount', alice.address, 'pending')) as { result: Hex }).result,
      );
      const raw = await sign({ nonce });
      const said = await page().ask('eth_sendRawTransaction', raw);
      page().service.controls.clearFaults();
      expect(said).toEqual(returns(decodeSigned(raw, 33).hash));
    },
  );

  test('a transaction above a nonce gap is accepted, and not found until the gap is filled (docs/notes/node.md#nonces-and-the-queue)', async () => {
    const count = (
      (await page().wire('eth_getTransactionCount', alice.address, 'pending')) as { result: Hex }
    ).result;
    const ahead = await sign({ nonce: Number(count) + 1 });
    const { hash } = decodeSigned(ahead, 33);
    expect(await page().ask('eth_sendRawTransaction', ahead)).toEqual(returns(hash));
    expect(await page().wire('eth_getTransactionByHash', hash)).toEqual(returns(null));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(returns(null));
    await page().ask('eth_sendRawTransaction', await sign({ nonce: Number(count) }));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(
      returns(expect.objectContaining({ hash, blockHash: null })),
    );
  });

  test('a transaction that the pool dropped is still shown to its page as pending (docs/notes/node.md#the-pool-forgets)', async () => {
    const { result: hash } = (await pay()) as { result: Hex };
    await page().service.controls.evictPending();
    expect(await page().wire('eth_getTransactionByHash', hash)).toEqual(returns(null));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(
      returns(expect.objectContaining({ hash, blockHash: null, blockNumber: null, transactionIndex: null })),
    );
  });
});

/** Matches only the first `eth_sendRawTransaction` from now on. */
function sends(): (asked: { calls: readonly { method: string }[] }) => boolean {
  let left = 1;
  return ({ calls }) => calls[0]?.method === 'eth_sendRawTransaction' && left-- > 0;
}
