import { keccak256 } from 'viem';
import { alice, carol, sign } from '../../../../../test/support/local-client.js';
import type { Hex } from '../../../src/local/index.js';
import { createNames } from './names.js';
import { readRecording } from './recordings.js';
import { coin, gasPrice, minimumGasPrice, rawOf, type Scene, stage, zeros } from './scene.js';

const recorded = (file: string, index: number) => readRecording(file).items[index]?.reply.result;

/** Height 255: a contract, failing calls to it, payments, then the recorded transactions. */
export async function firstScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches: { modules: ['debug', 'trace'] } });
  const { service, call, send, mine, mineTo, wait } = play;
  const { me, me2, contract } = readRecording('blocks').about.context;
  await mine();
  for (const rich of [me, me2, alice.address]) await service.controls.faucet(rich, 1000n * coin);
  await service.controls.faucet('0x1e8a6b4602ad3dbc9799e95a324b65bda0dc4437', 1n);
  await mineTo(0xfb);
  await call('eth_sendRawTransaction', rawOf(recorded('transactions', 0)));
  await mine();
  const { transactions } = recorded('blocks', 6);
  for (const each of transactions.slice(0, -1)) {
    await wait(30_000);
    await call('eth_sendRawTransaction', rawOf(each));
  }
  await mine(2);
  await service.controls.faucet(contract, coin);
  await play.setAccount(me, { nonce: 10 });
  await mine();
  await wait(60_000);

  const oversized = await sign({ data: zeros(131_072), gas: 6_000_000n, gasPrice });
  const overlong = await sign({ to: null, data: zeros(49_153), gas: 6_000_000n, gasPrice });
  // 131,179 bytes in all, as recorded.
  const fitting = oversized.length / 2 - 1 - 131_179;
  const oversizedAsRecorded = await sign({ data: zeros(131_072 - fitting), gas: 6_000_000n, gasPrice });
  const names = createNames();
  /** The recorder's own two calls, of which only the hashes in their logs were recorded. */
  const burst = async (nonce: number, count: number, recordedHash: string) => {
    const data: Hex = `0x657eb4ca${count.toString(16).padStart(64, '0')}`;
    names.pair(recordedHash, await send({ nonce, to: contract, data }));
  };
  const [firstHash] = recorded('filters', 29);
  const thirdPoll = recorded('filters', 44);
  return {
    service,
    names,
    order: [
      ...['blocks', 'transactions', 'receipts', 'call', 'estimate', 'state'],
      ...['send:0-65', 'pending', 'send:65-74', 'filters', 'logs', 'envelope', 'methods', 'trace'],
    ],
    params: { 'send#38': () => [overlong], 'send#39': () => [oversizedAsRecorded] },
    before: {
      'send#50': () => wait(30_000),
      'send#63': () => wait(30_000),
      'send#65': () => mine(),
      'send#69': () => wait(30_000),
      'send#72': () => mine(),
      'filters#29': () => burst(0, 2, firstHash),
      'filters#30': () => mine(),
      'filters#42': async () => {
        await burst(1, 1, thirdPoll[0].transactionHash);
        await mine(2);
      },
    },
    summaries: {},
  };
}

/** Height 5628: accounts with exact balances, edge cases of the pool, the account quota, limits, snapshots. */
export async function secondScene(): Promise<Scene> {
  const play = await stage({ minimumGasPrice, switches: { modules: ['debug', 'trace'] } });
  const { service, call, send, mine, mineTo, wait } = play;
  const { contract, me } = readRecording('limits').about.context;
  await mineTo(0x15fc);
  await play.setAccount(contract, { code: recorded('state', 38) });
  const rich = [
    ...[me, alice.address],
    '0x80bfac7c0df5fa342fa0f7607e99143c5c0995a4',
    '0x81559d79a61caf8cc551299465ff1976492fe777',
    '0x1a7f9420fb75f1a16902ff6a5ac290f50131ea1b',
    '0x0651f2286bd93a9ab68695d558d807fb03dbfd68',
    '0x6eaae6b2d62c4391df4dde5e8dfc7ca3bd651818',
    '0xcb3ee20614ab30fba9118a08fbf481b82953b534',
  ] as const;
  for (const address of rich) await service.controls.faucet(address, 10n * coin);
  await service.controls.faucet('0xccedeaf3403ef01805217bcf894e0f3c3f4fcf8b', 10n ** 15n);
  await mine();

  const names = createNames();
  names.pair('0xed8f3cd09814741ea17e02aaf54e8d1aec24f77f', carol.address.toLowerCase());
  const { input } = recorded('transactions', 0);
  const deployments = await Promise.all(
    [0, 1, 2, 3].map((nonce) =>
      sign({ nonce, to: null, data: input, gas: 2_000_000n, gasPrice, value: 0n }, carol),
    ),
  );
  for (const [nonce, at] of [7, 1, 2, 3].entries())
    names.pair(recorded('quota', at), keccak256(deployments[nonce] as Hex));
  let snapshot = '0x0';
  return {
    service,
    names,
    order: ['send2', 'quota', 'limits', 'fees', 'evm', 'reorg'],
    params: {
      'quota#0': () => [deployments[0]],
      'quota#1': () => [deployments[1]],
      'quota#2': () => [deployments[2]],
      'quota#3': () => [deployments[3]],
      'quota#7': () => [deployments[0]],
      'reorg#8': () => [snapshot],
    },
    before: {
      'send2#2': () => mine(),
      'send2#19': () => mine(),
      'send2#31': () => mine(),
      'quota#0': async () => {
        await send({ to: carol.address, value: coin });
        await mine();
        // The recorder's delay between its payment and the first deployment.
        await wait(35);
      },
      'quota#7': () => wait(5_000),
      'quota#9': () => mine(),
      'limits#0': () => mineTo(0x160c),
      'reorg#3': async () => {
        snapshot = await call('evm_snapshot');
        await mine();
      },
      'reorg#4': () => mine(2),
      'reorg#19': () => mine(3),
    },
    summaries: {
      'fees#2': async () => {
        const {
          minimumGasPrice: least,
          gasLimit,
          gasUsed,
          timestamp,
          extraData,
        } = await call('eth_getBlockByNumber', 'latest', false);
        return { result: { minimumGasPrice: least, gasLimit, gasUsed, timestamp, extraData } };
      },
      'send2#31': async () => {
        const { transactions } = await call('eth_getBlockByNumber', 'latest', true);
        const ofSender = transactions.filter(
          ({ from }: { from: Hex }) => from === '0x1a7f9420fb75f1a16902ff6a5ac290f50131ea1b',
        );
        const shown = ofSender.map((each: Record<string, Hex>) => ({
          nonce: each.nonce,
          value: each.value,
          gasPrice: each.gasPrice,
        }));
        return { result: shown };
      },
    },
  };
}

/** A development node without a minimum price that mines each transaction and replies with the outcome. */
export async function autoMineScene(): Promise<Scene> {
  const play = await stage({
    minimumGasPrice: 0n,
    mining: 'auto',
    switches: { sendReplies: 'outcome', modules: ['debug', 'trace'] },
  });
  // Reverts with the recorded error: its selector, the caller, and seven.
  const code = '0x63da47202360e01b600052336004526007602452604460' + '00fd';
  const accounts = {
    '0x1423ccc63b1e68cc2092ea5e04ac8492bb0f7ce8': 2,
    '0x13abd801c62d681934f81cfdd8d182bc5e6d8ca4': 1,
    '0x04cb8e2f90ecc2649b080ded90d1acf160a1add8': 7,
    '0x91b98a4782a33ab1c7b6909b7d0570e7be95aa43': 4,
  };
  for (const [address, nonce] of Object.entries(accounts)) {
    await play.service.controls.faucet(address as Hex, coin);
    await play.setAccount(address as Hex, { nonce });
  }
  for (const contract of [
    '0x08224935104a214bf126de8bba1ae621fb15546c',
    '0xb072b6fbb20cb343a92fd376d75a5ea48ba60bed',
  ] as const)
    await play.setAccount(contract, { code: code as Hex });
  return {
    service: play.service,
    names: createNames(),
    order: ['automine'],
    params: {},
    before: {},
    summaries: {},
  };
}
