import { expect, test } from 'vitest';
import { decodeSigned } from '../../../src/local/decode.js';
import type { Hex } from '../../../src/local/index.js';
import { alice, bob, carol, nobody, sign, type Wish } from '../../support/local-client.js';
import type { Page } from './page.js';
import { gives, inBothDialects, type Row, refuses, rowsHold } from './rows.js';

/** docs/notes/node.md#sending: sending, whose outcome is the same whatever the service says of it. */

const pool = (message: string) => refuses(-32010, message, { status: 200 });
const send =
  (wish: Wish, account = alice) =>
  async () =>
    ['eth_sendRawTransaction', await sign(wish, account)] as const;
const both = (said: Row['seed']) => ({ seed: said, node: said });
const rejected = (message: string | RegExp) => refuses(-32003, message);

/** Signed by alice, whose next nonce is 9; the ninth (nonce 8) waits. */
const refused: readonly Row[] = [
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'a sender that nobody ever paid',
    ask: send({}, carol),
    ...both(pool("the sender account doesn't exist")),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'more gas than a block has',
    ask: send({ nonce: 9, gas: 6_800_001n }),
    ...both(pool("transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000")),
    page: rejected('exceeds block gas limit'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'a nonce that is used',
    ask: send({ nonce: 3 }),
    ...both(pool('transaction nonce too low')),
    page: rejected('nonce too low'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'a nonce sixteen ahead',
    ask: send({ nonce: 24 }),
    ...both(pool('transaction nonce too high')),
    page: rejected('nonce too high'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'fees above the balance',
    ask: send({ nonce: 0, gas: 6_000_000n, gasPrice: 4_000_000_000n }, bob),
    ...both(pool('insufficient funds')),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: "a price below the block's minimum",
    ask: send({ nonce: 9, gasPrice: 1n }),
    ...both(pool("transaction's gas price lower than block's minimum")),
    page: rejected(/less than block base fee/),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'less gas than it takes to begin',
    ask: send({ nonce: 9, gas: 20_000n }),
    ...both(pool("transaction's basic cost is above the gas limit")),
    page: rejected('intrinsic gas too low'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'a price over eighty times the minimum',
    ask: send({ nonce: 9, gasPrice: 59_240_000n * 80n + 1n }),
    ...both(pool("transaction's gas price exceeds cap")),
    page: rejected(/cap/),
  },
  {
    section: 'docs/notes/node.md#replacement',
    what: 'a replacement that pays less than 40 % more',
    ask: send({ nonce: 8, gasPrice: 80_000_000n }),
    ...both(pool('gas price not enough to bump transaction')),
    page: rejected('replacement transaction underpriced'),
  },
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'value and fees above the balance',
    ask: send({ nonce: 0, value: 10n ** 15n }, bob),
    ...both(pool('insufficient funds to pay for pending and new transactions')),
    page: rejected('insufficient funds'),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    what: 'another chain',
    ask: send({ nonce: 9, chainId: 30 }),
    ...both(refuses(-32602, 'Invalid chainId: 30', { status: 400 })),
    page: refuses(-32602, /chain/i),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    what: 'a typed transaction',
    ask: async () => ['eth_sendRawTransaction', `0x02${(await sign({ nonce: 9 })).slice(2)}`],
    ...both(refuses(-32603, 'Internal server error', { status: 200 })),
    page: refuses(-32602, /type|legacy/i),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    what: 'bytes that end too soon',
    ask: async () => ['eth_sendRawTransaction', (await sign({ nonce: 9 })).slice(0, -2)],
    ...both(refuses(-32602, 'Invalid input: ', { status: 400 })),
    page: refuses(-32602, /^params\[0\]/),
  },
  {
    section: 'docs/notes/node.md#undecodable-transactions',
    what: 'no hexadecimal at all',
    ask: ['eth_sendRawTransaction', 'hello'],
    ...both(refuses(-32602, 'Invalid data format: invalid hex value.', { status: 400 })),
    page: refuses(-32602, /^params\[0\]/),
  },
];

const accepted: readonly Row[] = [
  {
    section: 'docs/notes/node.md#pool-rules',
    what: 'what waits already, sent again',
    ask: send({ nonce: 8 }),
    ...both(pool('pending transaction with same hash already exists')),
    page: ({ chain }) => gives(chain.waiting),
  },
];

rowsHold([...refused, ...accepted]);

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
      refuses(-32602, 'Local wallet is disabled in this node', { status: 400 }),
    );
    const before = page().sent('eth_sendTransaction').length;
    const { result } = (await pay()) as { result: Hex };
    expect(page().sent('eth_sendTransaction').length).toBe(before);
    const { gas, gasPrice, from } = lastSent();
    // Not 90000, which the seed would take, nor its price of 0, below every minimum.
    expect(gas).toBe(21_000n);
    expect(gasPrice).toBe((59_240_000n * 11n) / 10n);
    expect(from).not.toBe(alice.address.toLowerCase());
    expect(await mined(result)).toEqual(gives(expect.objectContaining({ status: '0x1', gasUsed: '0x5208' })));
  });

  /** What the service may answer to a transaction that it has taken (docs/notes/service.md#methods-with-full-parameter-and-result-shape). */
  const answers: readonly [what: string, spoil: (page: Page) => void][] = [
    ['the zero hash', ({ service }) => service.controls.zeroHashReplies()],
    ['another hash', ({ service }) => service.controls.wrongHashReplies()],
    ['null', ({ distort }) => void distort('eth_sendRawTransaction', () => null)],
    ['nothing: the reply is lost', ({ service }) => void service.controls.dropReplies(sends())],
    ['half a reply', ({ service }) => void service.controls.garbleReplies('truncated', sends())],
    ['a page of HTML', ({ service }) => void service.controls.garbleReplies('html', sends())],
  ];

  test.each(answers)(
    'docs/notes/node.md#where-the-node-differs-from-the-description the hash is the one of the signed bytes, answered with %s',
    async (_, spoil) => {
      spoil(page());
      const said = await pay();
      page().service.controls.clearFaults();
      const { hash } = lastSent();
      expect(said).toEqual(gives(hash));
      expect(await mined(hash)).toEqual(
        gives(expect.objectContaining({ transactionHash: hash, status: '0x1' })),
      );
    },
  );

  test.each(answers.slice(0, 3))(
    'docs/notes/node.md#where-the-node-differs-from-the-description the same for bytes that the page signed: %s',
    async (_, spoil) => {
      spoil(page());
      const nonce = Number(
        ((await page().wire('eth_getTransactionCount', alice.address, 'pending')) as { result: Hex }).result,
      );
      const raw = await sign({ nonce });
      const said = await page().ask('eth_sendRawTransaction', raw);
      page().service.controls.clearFaults();
      expect(said).toEqual(gives(decodeSigned(raw, 33).hash));
    },
  );

  test('docs/notes/node.md#nonces-and-the-queue a nonce gap is accepted, and the transaction invisible until it is filled', async () => {
    const count = (
      (await page().wire('eth_getTransactionCount', alice.address, 'pending')) as { result: Hex }
    ).result;
    const ahead = await sign({ nonce: Number(count) + 1 });
    const { hash } = decodeSigned(ahead, 33);
    expect(await page().ask('eth_sendRawTransaction', ahead)).toEqual(gives(hash));
    expect(await page().wire('eth_getTransactionByHash', hash)).toEqual(gives(null));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(gives(null));
    await page().ask('eth_sendRawTransaction', await sign({ nonce: Number(count) }));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(
      gives(expect.objectContaining({ hash, blockHash: null })),
    );
  });

  test('docs/notes/node.md#the-pool-forgets a transaction that the pool forgot is still shown to its page, as pending', async () => {
    const { result: hash } = (await pay()) as { result: Hex };
    await page().service.controls.evictPending();
    expect(await page().wire('eth_getTransactionByHash', hash)).toEqual(gives(null));
    expect(await page().ask('eth_getTransactionByHash', hash)).toEqual(
      gives(expect.objectContaining({ hash, blockHash: null, blockNumber: null, transactionIndex: null })),
    );
  });
});

/** Whether this is the first `eth_sendRawTransaction` since. */
function sends(): (asked: { calls: readonly { method: string }[] }) => boolean {
  let left = 1;
  return ({ calls }) => calls[0]?.method === 'eth_sendRawTransaction' && left-- > 0;
}
