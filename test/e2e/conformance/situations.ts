import { gzipSync } from 'node:zlib';
import { acceptThen, type FakeNode } from '../../support/fake-node.js';
import { values } from '../../support/keys.js';
import {
  drip,
  error,
  flood,
  hang,
  reset,
  respond,
  result,
  type Script,
} from '../../support/scripted-service.js';
import type { Entry, EntryResponse } from './bad-inputs.js';
import { build } from './fixtures.js';

/** What the service answers, as a row of the table writes it. */

const word = (value: number) => value.toString(16).padStart(64, '0');

/** Reply bodies that no JSON file can hold, by the expression that stands for them. */
const bodies: Readonly<Record<string, () => Script>> = {
  "'['.repeat(2e5)+']'.repeat(2e5)": () => respond('['.repeat(2e5) + ']'.repeat(2e5)),
  'stream(64*2**20)': () => flood(64),
  // 8 MiB as they travel: 4 MiB of bytes in hexadecimal. Twice that is over the node's own cap of a reply.
  'revertWithData(8*2**20)': () =>
    error(
      -32015,
      'VM Exception while processing transaction: transaction reverted',
      `0x08c379a0${word(32)}${word(2 ** 22)}${'61'.repeat(2 ** 22)}`,
    ),
};

const words: Readonly<Record<string, (node: () => FakeNode) => Script>> = {
  RESET: () => reset,
  HANG: () => hang,
  'DRIP 1B/s': () => drip,
  GZIPBOMB: () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20));
    return respond(bomb, 200, { 'content-encoding': 'gzip' });
  },
  RESET_AFTER_REQUEST: (node) => acceptThen(node, reset),
};

export function scriptOf(entry: Entry, response: EntryResponse, node: () => FakeNode, extra: object): Script {
  const { status = 200, headers = {}, body } = response;
  if (response.error) return error(response.error.code, response.error.message);
  if (body === undefined) return result(resultOf(response.result, extra));
  if (typeof body !== 'string') return (bodies[body.$js] as () => Script)();
  const acted = words[body];
  if (acted) return acted(node);
  // What never reaches the service, for the address that the situation gives the wallet.
  if (status === 0) return hang;
  if (headers['content-length'] !== undefined) return lyingLength(body, headers['content-length']);
  const script = respond(body, status, headers);
  return entry.method === 'eth_sendRawTransaction' ? acceptThen(node, script) : script;
}

function resultOf(value: unknown, extra: object): unknown {
  const logs = (value as { $js?: string } | null)?.$js;
  if (logs === 'logs(10000)') return manyLogs();
  return build(value, { ...extra });
}

export const log = (fields: object = {}) => ({
  address: values.$X,
  topics: [values.$H32],
  data: '0x',
  blockNumber: '0x64',
  blockHash: `0x${'64'.repeat(32)}`,
  transactionHash: values.$HASH,
  transactionIndex: '0x0',
  logIndex: '0x0',
  removed: false,
  ...fields,
});

/** All of block 100. */
const manyLogs = () => Array.from({ length: 10_000 }, (_, i) => log({ logIndex: `0x${i.toString(16)}` }));

/** What a service says of them and of one more in the next block when it cuts its answer, and does not say so. */
export const cutLogs =
  (node: FakeNode): Script =>
  (response, asked) => {
    const [{ fromBlock, toBlock }] = asked.params as [{ fromBlock: string; toBlock: string }];
    const [first, second] = node.chain.blocks;
    const logs = [
      ...manyLogs().map((each) => ({ ...each, blockHash: first?.hash ?? '' })),
      log({ blockNumber: '0x65', blockHash: second?.hash }),
    ];
    const within = logs.filter(
      ({ blockNumber }) => Number(blockNumber) >= Number(fromBlock) && Number(blockNumber) <= Number(toBlock),
    );
    return result(within.slice(0, 10_000))(response, asked);
  };

/** A head that promises fewer bytes than follow. */
const lyingLength =
  (body: string, length: string): Script =>
  (response, { id }) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    response.socket?.end(head + body.replaceAll('$ID', String(id)));
  };
