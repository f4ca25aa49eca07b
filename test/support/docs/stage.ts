import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as local from '../../../packages/kit/src/local/index.js';
import * as testing from '../../../packages/kit/src/testing/index.js';
import * as relays from '../../../packages/relay/src/index.js';
import * as relayServers from '../../../packages/relay/src/node.js';
import * as viem from '../../../src/adapters/viem.js';
import * as wagmi from '../../../src/adapters/wagmi.js';
import * as wallets from '../../../src/index.js';
import * as inspect from '../../../src/inspect/index.js';
import * as proof from '../../../src/proof/index.js';
import * as ui from '../../../src/ui/index.js';
import type { Block } from './blocks.js';
import type { given } from './given.js';

/** Runs blocks of the documentation in this process, with a wallet, its person and a service behind them. */
export interface Stage {
  /** Runs a block to its end. Rejects as the block does. */
  run(block: Block): Promise<void>;
  stop(): Promise<void>;
}

type Given = Partial<Record<keyof typeof given, unknown>>;

/** The password that the documents show. */
const password = 'a long password';
const coins = 10n ** 18n;

/**
 * The person sets a wallet up when asked, and agrees to everything. Endpoints that a block names are replaced by a local
 * service of the chain, and stores that need a page by those in memory; whatever else a block gives stays as it is.
 */
export async function openStage(): Promise<Stage> {
  await mkdir('.cache', { recursive: true });
  const folder = await mkdtemp(resolve('.cache/docs-run-'));
  const services = new Map<number, Promise<local.LocalService>>();
  const closing: (() => unknown)[] = [];

  const serviceOf = (chainId: number): Promise<local.LocalService> => {
    const known = services.get(chainId) ?? local.createLocalService({ chainId });
    services.set(chainId, known);
    return known;
  };

  const createLocalService: typeof local.createLocalService = async (options) => {
    const service = await local.createLocalService(options);
    closing.push(() => service.close());
    return service;
  };

  const person = (chainId: number): wallets.Approver => ({
    async ask(question, { owner, unlock }) {
      if (question.kind === 'onboarding') {
        const created = await owner?.create(password);
        const { controls } = await serviceOf(chainId);
        if (created) await controls.faucet(created.account.address, coins);
      } else if (question.locked) await unlock(password);
      return { approved: true };
    },
  });

  function createWallet(options: wallets.createWallet.Options): wallets.Wallet {
    const networks = options.networks.map((network) => {
      const isElsewhere = [network.url].flat().some((url) => url.startsWith('https:'));
      return { ...network, ...(isElsewhere && { url: urls.get(network.chainId) ?? network.url }) };
    });
    const [first] = networks;
    const wallet = wallets.createWallet({
      approver: () => person(first?.chainId ?? 31),
      storage: wallets.createMemoryStorage(),
      memory: wallets.createVolatileMemory(),
      origin: 'https://app.example',
      ...options,
      networks,
    });
    closing.push(() => wallet.destroy());
    return wallet;
  }

  async function serveRelay(options: relayServers.NodeRelayOptions): Promise<relayServers.NodeRelay> {
    const networks = options.networks.map((network) => ({
      ...network,
      url: urls.get(network.chainId) ?? network.url,
    }));
    const node = await relayServers.serveRelay({
      ...options,
      networks,
      port: 0,
      admin: { port: 0 },
      drain: 0,
    });
    closing.push(() => node.stop());
    return node;
  }

  const urls = new Map<number, string>();
  for (const chainId of [30, 31]) urls.set(chainId, (await serviceOf(chainId)).url);
  const entries = {
    'graft-wallet': { ...wallets, createWallet },
    'graft-kit/local': { ...local, createLocalService },
    'graft-wallet/inspect': inspect,
    'graft-wallet/proof': proof,
    'graft-relay': relays,
    'graft-relay/node': { ...relayServers, serveRelay },
    'graft-kit/testing': testing,
    'graft-wallet/ui': ui,
    'graft-wallet/viem': viem,
    'graft-wallet/wagmi': wagmi,
  };

  async function give(code: string): Promise<Given> {
    const service = await serviceOf(31);
    const networks = [{ chainId: 31, url: service.url }];
    const wallet = createWallet({ networks });
    const { address: account } = (await wallet.create(password)).account;
    await service.controls.faucet(account, coins);
    await wallet.provider.request({ method: 'eth_requestAccounts' });
    const recipient = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
    const hash = /\bhash\b/.test(code) && (await wallet.send({ from: account, to: recipient, value: '0x1' }));
    return {
      wallet,
      service,
      networks,
      account,
      recipient,
      token: '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe',
      hash,
      mnemonic: `${'test '.repeat(11)}junk`,
      privateKey: `0x${'47'.repeat(32)}`,
      abi: [],
      file: new File([await wallet.backup(password, 'a password of the file')], 'backup.json'),
    };
  }

  return {
    async run({ code, path, line }) {
      const values = { ...(await give(code)), entries, confirm: () => true, console: quiet };
      const before = Object.fromEntries(
        Object.keys(values).map((name) => [name, Reflect.get(globalThis, name)]),
      );
      Object.assign(globalThis, values);
      try {
        const file = join(folder, `${path.replace(/\W/g, '-')}-${line}.ts`);
        await writeFile(file, `${asOneRun(ofEntries(code))}\nexport {};\n`);
        await import(/* @vite-ignore */ file);
      } finally {
        for (const close of closing.splice(0)) await close();
        Object.assign(globalThis, before);
      }
    },
    async stop() {
      for (const service of services.values()) await (await service).close();
      await rm(folder, { recursive: true });
    },
  };
}

const quiet = { ...console, log: () => {} };

/** The code of a test file, whose tests run at once: it is inside of another test. */
const asOneRun = (code: string): string =>
  code
    .replace(
      "import { expect, test } from 'vitest';",
      "import { expect } from 'vitest';\nconst test = (_: string, run: () => unknown) => run();",
    )
    .replace(/^test\(/gm, 'await test(');

/** The code with the entries of the stage in place of the package's. */
const ofEntries = (code: string): string =>
  code.replace(/^import \{([^}]*)\} from '(graft-[^']*)';/gm, (_, names: string, entry: string) => {
    const values = names.split(',').filter((name) => name.trim() !== '' && !/^\s*type\s/.test(name));
    return `const {${values.join(',').replaceAll(' as ', ': ')}} = globalThis.entries['${entry}'];`;
  });
