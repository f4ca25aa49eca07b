import { Agent, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
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
  const command = async (method: string, ...params: readonly unknown[]): Promise<void> => {
    await request(method, params);
  };
  await command('anvil_setCoinbase', settings.miner);
  for (const [address, code] of Object.entries(settings.contracts ?? {}))
    await command('anvil_setCode', address, code);
  let branch = 0n;
  // `anvil_reset` would turn base fees on again, so a snapshot holds the genesis block. Reverting consumes it.
  let genesis = await request('evm_snapshot', []);
  return {
    request,
    submit: (raw) => command('eth_sendRawTransaction', raw),
    drop: (hash) => command('anvil_dropTransaction', hash),
    mine: (count) => (count === 1 ? command('evm_mine') : command('anvil_mine', `0x${count.toString(16)}`)),
    async rollback(depth) {
      await command('anvil_rollback', depth);
      branch += 1n;
      await command('anvil_setCoinbase', minerOf(settings.miner, branch));
    },
    setBalance: (address, wei) => command('anvil_setBalance', address, `0x${wei.toString(16)}`),
    setNonce: (address, nonce) => command('anvil_setNonce', address, nonce),
    increaseTime: (seconds) => command('evm_increaseTime', seconds),
    snapshot: () => request('evm_snapshot', []) as Promise<Hex>,
    restore: (id) => request('evm_revert', [id]) as Promise<boolean>,
    async reset() {
      await command('evm_revert', genesis);
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
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (incoming) =>
      json(incoming)
        .then((reply) => {
          const { result, error } = reply as { result?: unknown; error?: EngineError };
          if (error !== undefined) throw new EngineError(error.code, error.message, error.data);
          resolve(result);
        })
        .catch(reject),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
