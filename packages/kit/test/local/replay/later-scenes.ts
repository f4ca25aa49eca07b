import { recoverTransactionAddress, type TransactionSerializedLegacy } from 'viem';
import { factoryCode } from '../../../../../test/support/contracts/factory.generated.js';
import { alice } from '../../../../../test/support/local-client.js';
import type { Hex } from '../../../src/local/index.js';
import { createNames } from './names.js';
import { readRecording } from './recordings.js';
import { coin, minimumGasPrice, rawOf, type Scene, type Stage, stage } from './scene.js';

/** Rebuilds the chains of the recordings of 2026-11-25 (test/support/recordings/README.md). */

const modules = ['debug', 'trace', 'sco', 'mnr'];
const switches = { modules, accountQuota: false } as const;
const itemsOf = (file: string) => readRecording(`later/${file}`).items;
const resultOf = (file: string, name: string) =>
  itemsOf(file).find((item) => item.name === name)?.reply.result;

const firstCallOf = (file: string): unknown => itemsOf(file)[0]?.request?.params[0];

const sceneOf = (
  { service }: Stage,
  scene: Pick<Scene, 'order'> & Partial<Omit<Scene, 'service'>>,
): Scene => ({ service, names: createNames(), params: {}, before: {}, summaries: {}, ...scene });

/** Programs that `eth_call` runs without a recipient. What they return counts as code, which must not begin with 0xef (EIP-3541). */
export async function programScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches });
  await play.mine(20);
  // Two programs return the hashes of the first blocks, which follow from the hour.
  if ((await play.engineHashes(0, 1)).every((hash) => !hash.startsWith('0xef')))
    return sceneOf(play, { order: ['later/evm-rootstock'] });
  await play.service.close();
  return programScene();
}

/** A factory with the recorded functions and another compiler's code; receipts need bytes that were not recorded. */
export async function factoryScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches });
  await play.service.controls.faucet(alice.address, coin);
  const hash = await play.send({ to: null, data: factoryCode, gas: 3_000_000n });
  await play.mine();
  const { contractAddress } = await play.call('eth_getTransactionReceipt', hash);
  const { to, from } = firstCallOf('factories') as { to: Hex; from: Hex };
  await play.setAccount(to, { code: await play.call('eth_getCode', contractAddress, 'latest'), nonce: 0 });
  const kid = resultOf('factories', 'Kid (a plain deployment), call');
  await play.setAccount('0xea6e2da848bbe4f516be003348e04d0e0d078b68', { code: kid });
  await play.service.controls.faucet(from, coin);
  // Deployments must not collide with the contracts above.
  await play.setAccount(from, { nonce: 20 });
  await play.mine();
  // Each recorded call was followed by its transaction, so that the next one creates another address.
  const nonces = { 7: 2, 10: 3, 13: 4, 16: 5 };
  const before = Object.fromEntries(
    Object.entries(nonces).map(([index, nonce]) => [
      `later/factories#${index}`,
      () => play.setAccount(to, { nonce }),
    ]),
  );
  const skipped = itemsOf('factories').flatMap(({ name }, index) =>
    name?.includes('receipt') ? [`later/factories#${index}`] : [],
  );
  return sceneOf(play, { order: ['later/factories'], before, skipped });
}

/** Logs of 11 MB, in blocks 0x2b to 0x37. */
export async function hugeScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches });
  const { address } = firstCallOf('huge-logs') as { address: Hex };
  await play.setAccount(address, { code: '0x6000356000a000' });
  await play.service.controls.faucet(alice.address, coin);
  await play.mine(0x2a);
  for (let nonce = 0; nonce < 13; nonce++) {
    await play.send({
      nonce,
      to: address,
      data: `0x${(430_000).toString(16).padStart(64, '0')}`,
      gas: 6_000_000n,
    });
    await play.mine();
  }
  const logsOf = (toBlock: string) => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x2b', toBlock, address }],
  });
  return sceneOf(play, {
    order: ['later/huge-logs'],
    bodies: { 'later/huge-logs#1': JSON.stringify([logsOf('0x2b'), logsOf('0x37')]) },
  });
}

/** Height 22: a contract, and transactions of every kind. */
export async function readsScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches });
  const sent = itemsOf('reads')
    .filter(({ name }) => name?.startsWith('tx: '))
    .map(({ reply }) => reply.result as Readonly<Record<string, Hex>>);
  await play.mine();
  for (const from of new Set(sent.map((each) => each.from as Hex)))
    await play.service.controls.faucet(from, 1000n * coin);
  for (const each of sent) {
    await play.mineTo(Number(each.blockNumber) - 1);
    await play.call('eth_sendRawTransaction', rawOf(each));
  }
  await play.mineTo(22);
  return sceneOf(play, { order: ['later/reads'] });
}

/** The pool at height 26. The heights at which blocks were mined follow from the replies. */
export async function poolScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches: { ...switches, modules: ['debug', 'trace'] } });
  const raws = itemsOf('pool')
    .filter(({ request }) => request?.method === 'eth_sendRawTransaction')
    .map(({ request }) => request?.params[0] as Hex);
  const senders = await Promise.all(
    raws.map((serializedTransaction) =>
      recoverTransactionAddress({
        serializedTransaction: serializedTransaction as TransactionSerializedLegacy,
      }),
    ),
  );
  await play.mine();
  for (const sender of new Set(senders)) await play.service.controls.faucet(sender, 1000n * coin);
  await play.mineTo(25);
  const mineBefore = { 1: 26, 37: 27, 60: 28, 62: 37, 63: 40, 68: 41, 76: 42, 108: 44, 117: 45 };
  const before = Object.fromEntries(
    Object.entries(mineBefore).map(([index, height]) => [`later/pool#${index}`, () => play.mineTo(height)]),
  );
  return sceneOf(play, { order: ['later/pool'], before });
}
