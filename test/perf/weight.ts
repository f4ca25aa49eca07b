import { type Built, type Bundle, type BundledFile, bundleConsumer } from '../support/built.js';
import { brotliSize } from './brotli.js';
import { installPeers, peersRoot } from './peers.js';
import { atMost, type Extent, kilobytes, type Row } from './row.js';

/** What a page loads at each step, in bytes after minifying and brotli, over what it has loaded before. */
export interface Weights {
  /** Announces itself and answers `eth_accounts`. */
  readonly shell: number;
  /** Added by the first request that the session cannot answer. */
  readonly core: number;
  /** Added by the first signature with an unlocked wallet. */
  readonly signing: number;
  /** Added by unlocking: the vault, and the worker that stretches the password. */
  readonly vault: number;
  /** Added by creating a wallet or by its backup: BIP-39, BIP-32, the owner's functions. */
  readonly mnemonic: number;
  /** Added by the first question, its English texts included; by the first transaction besides. */
  readonly dialog: number;
  readonly transaction: number;
  /** Added to the dialog where a wallet is set up. */
  readonly onboarding: number;
  /** Added by opening the panel, to a page that has shown a dialog. */
  readonly panel: number;
  /** A dapp's page before its first request, with the wallet on another origin. */
  readonly bridge: number;
  /** Added to the shell in the wallet's frame, until the first question. */
  readonly host: number;
}

export interface Weighed {
  readonly weights: Weights;
  /** Modules of the shell and the core, which are loaded before the first signature. */
  readonly upFront: readonly string[];
  /** Modules that are loaded once a question is shown. */
  readonly byDialog: readonly string[];
  readonly files: ReadonlyMap<string, number>;
  /** Chunks that the page's entry imports statically: each set of them costs a round trip. */
  readonly awaited: readonly string[];
}

function createLoader(bundle: Bundle) {
  const files = new Map([...bundle.values()].map((file) => [file.name, sizeOf(file)]));
  const loaded = new Set<string>();
  return {
    /** Bytes by name. */
    files,
    loaded,
    /** Loads the chunks of these files of `dist` and their imports. Returns the bytes that were not loaded before. */
    load(...names: string[]): number {
      let bytes = 0;
      for (const name of names)
        for (const needed of staticClosure(bundle, chunkOf(bundle, name)))
          if (!loaded.has(needed)) {
            loaded.add(needed);
            bytes += files.get(needed) ?? 0;
          }
      return bytes;
    },
  };
}

/** The page whose first request is `eth_accounts`. */
export const shellPage = `
  import { createWallet } from 'graft-wallet';
  const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://service.example/key' }] });
  wallet.announce();
  wallet.provider.request({ method: 'eth_accounts' }).then((accounts) => (globalThis.accounts = accounts));
`;

/** The same where the page waits for it before it goes on. */
export const awaitingPage = `
  import { createWallet } from 'graft-wallet';
  const wallet = createWallet({ networks: [{ chainId: 31, url: 'https://service.example/key' }] });
  wallet.announce();
  globalThis.accounts = await wallet.provider.request({ method: 'eth_accounts' });
`;

/** A dapp's page with the bridge. */
export const bridgePage = `
  import { connectBridge } from 'graft-wallet/bridge';
  const bridge = connectBridge({ host: 'https://wallet.example.com' });
  bridge.announce();
  bridge.provider.request({ method: 'eth_accounts' }).then((accounts) => (globalThis.accounts = accounts));
`;

const hostPage = `
  import { createWallet } from 'graft-wallet';
  import { serveBridge } from 'graft-wallet/host';
  serveBridge({
    allow: ['https://app.example.com'],
    wallet: (origin, approver) =>
      createWallet({ networks: [{ chainId: 31, url: 'https://service.example/key' }], origin, approver }),
  });
`;

/** What a page loads before its first line runs. */
async function weighEntry(built: Built, page: string): Promise<number> {
  const bundle = await built.bundle(page, { preload: false });
  return [...staticClosure(bundle, chunkOf(bundle, ''))].reduce(
    (sum, name) => sum + sizeOf(bundle.get(name) as BundledFile),
    0,
  );
}

export async function weigh(built: Built): Promise<Weighed> {
  const bundle = await built.bundle(shellPage, { preload: false });
  const { files, loaded, load } = createLoader(bundle);
  const awaited = bundle.get(chunkOf(bundle, ''))?.chunk?.imports ?? [];
  const shell = load('');
  const core = load('core.js');
  const modules = () => [...loaded].flatMap((name) => Object.keys(bundle.get(name)?.chunk?.modules ?? {}));
  const upFront = modules();
  const dialog = load('dialog.js', 'dialog-en.js');
  const byDialog = modules();
  const transaction = load('transaction.js');
  const signing = load('unlock.js', 'sign.js', 'pay.js');
  const vault = load('idb.js', 'worker-source.js');
  const mnemonic = load('owner.js', 'mnemonic.js');
  const onboarding = load('onboarding.js', 'setup-en.js');
  const panel = load('panel.js', 'mount.js', 'panel-en.js');
  const bridge = await weighEntry(built, bridgePage);
  const host = (await weighEntry(built, hostPage)) - shell;
  return {
    weights: { shell, core, signing, vault, mnemonic, dialog, transaction, onboarding, panel, bridge, host },
    upFront,
    byDialog,
    files,
    awaited,
  };
}

/** The same of the bridge. */
export interface BridgeWeights {
  /** In a dapp's page, which announces it and has asked nothing yet. */
  readonly client: number;
  /** Added by the first request: the frame and the line to it. */
  readonly remote: number;
  /** In the wallet's frame, added to a wallet whose shell and core are loaded, as every dapp's first read loads it. */
  readonly host: number;
  /** Added in the frame by the first request that a window answers. */
  readonly handed: number;
  /** In the window, added to a wallet with the dialog. */
  readonly asked: number;
}

export async function weighBridge(built: Built): Promise<BridgeWeights> {
  const dapp = createLoader(
    await built.bundle(
      `
        import { connectBridge } from 'graft-wallet/bridge';
        connectBridge({ host: 'https://wallet.example' }).announce();
      `,
      { preload: false },
    ),
  );
  const wallet = createLoader(
    await built.bundle(
      `
        import { serveBridge } from 'graft-wallet/host';
        import { createWallet } from 'graft-wallet';
        const networks = [{ chainId: 31, url: 'https://service.example/key' }];
        serveBridge({
          allow: ['https://app.example'],
          wallet: (origin, approver) => createWallet({ networks, origin, approver }),
        });
      `,
      { preload: false },
    ),
  );
  const client = dapp.load('');
  const remote = dapp.load('bridge/remote.js');
  const alone = (await weigh(built)).weights;
  const host = wallet.load('') + wallet.load('core.js') - alone.shell - alone.core;
  const handed = wallet.load('handover.js', 'window-link.js', 'answer-in-window.js');
  const asked = wallet.load('answer-offers.js', 'window-approver.js');
  return { client, remote, host, handed, asked };
}

const sizeOf = ({ body }: BundledFile): number => brotliSize(body);

function chunkOf(bundle: Bundle, name: string): string {
  for (const { chunk } of bundle.values()) {
    if (!chunk) continue;
    const isOf = (module: string) => module.endsWith(`/dist/${name}`);
    if (name === '' ? chunk.isEntry : Object.keys(chunk.modules).some(isOf)) return chunk.fileName;
  }
  throw new Error(`No chunk of the bundle holds ${name || 'the entry'}`);
}

function staticClosure(bundle: Bundle, entry: string): Set<string> {
  const closure = new Set([entry]);
  for (const name of closure) for (const next of bundle.get(name)?.chunk?.imports ?? []) closure.add(next);
  return closure;
}

/** Files with our modules that are loaded before the page's first line runs. */
export const eagerFiles = (bundle: Bundle): readonly string[] =>
  [...staticClosure(bundle, chunkOf(bundle, ''))].filter((name) =>
    Object.entries(bundle.get(name)?.chunk?.modules ?? {}).some(
      ([module, { renderedLength }]) => module.includes('/dist/') && renderedLength > 0,
    ),
  );

/** What other libraries weigh for the same: a key, signatures and a node client. */
const peers = {
  'viem account + http': `
    import { createWalletClient, http } from 'viem';
    import { privateKeyToAccount } from 'viem/accounts';
    globalThis.used = { createWalletClient, http, privateKeyToAccount };`,
  ethers: `
    import { BrowserProvider, JsonRpcProvider, Wallet } from 'ethers';
    globalThis.used = { BrowserProvider, JsonRpcProvider, Wallet };`,
};
const burner = `
  import { burner } from 'burner-connector';
  globalThis.used = { burner };`;

const total = (bundle: Bundle) =>
  [...bundle.values()].filter(({ chunk }) => chunk).reduce((sum, file) => sum + sizeOf(file), 0);

export async function measureWeight(built: Built, { short }: Extent): Promise<Row[]> {
  const { weights } = await weigh(built);
  const others: [string, number][] = [];
  for (const [name, code] of Object.entries(peers))
    others.push([name, total(await built.bundle(code, { preload: false }))]);
  if (await installPeers({ onlyIfThere: short }))
    others.push(['burner-connector', total(await bundleConsumer({ root: peersRoot, code: burner }))]);
  const { shell, core, signing, vault, mnemonic, dialog, onboarding, panel, bridge, host } = weights;
  const row = (what: string, bytes: number, limit: number): Row => ({
    what: `Weight: ${what}`,
    ours: kilobytes(bytes),
    aim: atMost(bytes, limit * 1000, `≤ ${limit} kB`),
  });
  const whole = shell + core + signing;
  return [
    row('shell (announces, answers eth_accounts)', shell, 4),
    row('core, added by the first read', core, 14),
    row('signer, added by the first signature', signing, 16),
    row('vault and mnemonic, worker included', vault + mnemonic, 16),
    row('dialog, added by the first question, with its texts', dialog, 14),
    row('panel, added by opening it, with setting up and all texts', onboarding + panel, 25),
    row('bridge, a dapp before its first request', bridge, 6),
    row('host, added to the shell in the wallet’s frame', host, 3),
    {
      what: 'Weight: reads and signs (shell + core + signer)',
      ours: kilobytes(whole),
      peers: others.map(([name, bytes]) => `${name} ${kilobytes(bytes)}`).join(', '),
      ratio: others.map(([, bytes]) => (whole / bytes).toFixed(2)).join(', '),
    },
  ];
}
