import { Agent, request as httpRequest } from 'node:http';
import type { Address, Hex } from '../../../../src/rpc/schema.js';
import { startAnvil } from './anvil-process.js';
import { type Engine, EngineError, type EngineSettings } from './engine.js';

/**
 * Starts anvil as the engine. A base fee of 0 turns base fees off; the Cancun hard fork is the closest to Rootstock's EVM
 * (docs/notes/node.md#legacy-only); automatic mining is off because the service decides when to mine.
 */
export async function createAnvilEngine(settings: EngineSettings): Promise<Engine> {
  const anvil = await startAnvil([
    '--accounts=0',
    '--no-mining',
    '--hardfork=cancun',
    '--block-base-fee-per-gas=0',
    '--gas-price=0',
    '--disable-min-priority-fee',
    `--gas-limit=${settings.blockGasLimit}`,
    `--chain-id=${settings.chainId}`,
    '--disable-pool-balance-checks',
    ...(settings.steps ? ['--steps-tracing'] : []),
  ]);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const request = (method: string, params: readonly unknown[]) => post(anvil.port, agent, method, params);
  await request('anvil_setCoinbase', [settings.miner]);
  for (const [address, code] of Object.entries(settings.contracts ?? {}))
    await request('anvil_setCode', [address, code]);
  let branch = 0n;
  // `anvil_reset` would turn base fees on again, so a snapshot holds the genesis block. Reverting consumes it.
  let genesis = await request('evm_snapshot', []);
  return {
    request,
    async submit(raw) {
      await request('eth_sendRawTransaction', [raw]);
    },
    async drop(hash) {
      await request('anvil_dropTransaction', [hash]);
    },
    async mine(count) {
      await (count === 1 ? request('evm_mine', []) : request('anvil_mine', [`0x${count.toString(16)}`]));
    },
    async rollback(depth) {
      await request('anvil_rollback', [depth]);
      branch += 1n;
      await request('anvil_setCoinbase', [minerOf(settings.miner, branch)]);
    },
    async setBalance(address, wei) {
      await request('anvil_setBalance', [address, `0x${wei.toString(16)}`]);
    },
    async setNonce(address, nonce) {
      await request('anvil_setNonce', [address, nonce]);
    },
    async increaseTime(seconds) {
      await request('evm_increaseTime', [seconds]);
    },
    snapshot: () => request('evm_snapshot', []) as Promise<Hex>,
    restore: (id) => request('evm_revert', [id]) as Promise<boolean>,
    async reset() {
      await request('evm_revert', [genesis]);
      genesis = await request('evm_snapshot', []);
    },
    async close() {
      agent.destroy();
      await anvil.stop();
    },
  };
}

/** A different miner for each branch: two branches mined within one second would otherwise have the same block hashes. */
const minerOf = (miner: Address, branch: bigint): Address =>
  `0x${((BigInt(miner) + branch) % (1n << 160n)).toString(16).padStart(40, '0')}`;

function post(port: number, agent: Agent, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        try {
          const reply = JSON.parse(Buffer.concat(chunks).toString());
          const { error } = reply;
          if (error === undefined) resolve(reply.result);
          else reject(new EngineError(error.code, error.message, error.data));
        } catch (error) {
          reject(error);
        }
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
