import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../support/built.js';
import { brotliSize } from './brotli.js';
import { type ByBundler, entryBuilds, entryPages, weighPages } from './entries.js';
import { awaitingPage, eagerFiles, type Weighed, type Weights, weigh } from './weight.js';

/**
 * What each step may weigh, bytes after brotli: its size when last looked at, and 5 %. Lower them when a step
 * gets lighter; before raising one, see what it bought. Raised last for: options that are read as own properties, the
 * table of other services' dialects, outcomes that are looked up before they are believed, and a dialog that is drawn
 * by Preact (4.6 kB), is there in three languages and lets a person set a wallet up, recover one and change a fee. Then
 * for the owner's functions: passkeys, backup files, replacing and erasing a wallet, several mnemonics and their accounts;
 * for networks that are kept over reloads, recipients, known tokens and contracts, and prices to choose from. Core and host
 * got what reads batches, settings and large requests from the shell, which each page loads. The panel says when the wallet
 * could not be opened, and the test kit what its author has misspelt. The dialog has the words of twelve more warnings, and
 * shows the calls inside a transaction with base units. Dialog and panel got a guard that watches window and touch,
 * dangers that stay in view, and long lists that collapse. Core, vault and host got shares of each dapp, keys that are redacted in any
 * encoding, a vault that proves itself, unlocks in two halves and windows; the relay what each client is charged. Core then got the
 * memory of what was shown, and the comparison of each answer with it: 2.9 kB. Each page hears why a part cannot load, and the owner's
 * functions know the passwords that are tried first. The shell has the shield of the dialog's input, since it must be there before
 * the page's listeners; core and relay what outages, limits, odd replies and lists of logs need, and the dialog more services on
 * which each user has a subdomain.
 * The host then got the pace of each dapp and the modules that its window loads in parallel; the relay further tries of reads that hang,
 * missed blocks that fail in every range, and the health of instances that do not poll. The panel's address to receive at is a
 * chunk of its own (0.5 kB), which the dialog loads too. The shield keeps pastes and captured pointers as well; core and relay read
 * errors in more shapes, logs of the newest block at one height, reads that a service refuses at a number, and transactions by
 * their index (0.4 kB). The table of methods is one for all: host and relay have the rows of the methods that only others need (0.4 and
 * 0.9 kB), and the host preloads all of a question (0.1 kB); the reasons of methods that are not answered are a chunk of their own.
 * Core got 0.4 kB, and a page of one import by esbuild 0.1 kB, from shared checks of addresses and merged files of the read path, which
 * split into other chunks. The shell reads whether the journal is settled, 20 bytes, so that a returning page which asks for nothing
 * loads nothing more. Then a step became one file: the core is 15 kB lighter, since it has nothing for persons, errors and storage any
 * more, and the signer's row counts all that an unlock, a signature and a payment load. The host has 0.1 kB of what it shares with them.
 * The panel loads the steps that set a wallet up when it shows them: it is 2.2 kB lighter, and they are 0.1 kB heavier by themselves.
 * Permissions are chunks of their own. They cost each page 40 bytes and a signature 0.3 kB; the words of their question 0.4 kB in the
 * dialog; their list 0.6 kB in the panel; the bridge, which asks the frame before it opens a window for one, 0.2 kB; and a page that uses
 * them by viem or wagmi 0.6 and 0.8 kB. The journal of what is only signed costs a signature 0.1 kB. Purses are chunks of their own
 * too. They cost each page 40 bytes, a signature 0.3 kB, the wallet's frame 0.2 kB, the dialog 0.1 kB of words, and the panel
 * 0.3 kB for their list. A passkey that brings a wallet back is a chunk of its own: it costs each page 30 bytes, a signature 0.1 kB,
 * and setting a wallet up 1 kB, of which two thirds are words. The journal notes what a node has taken and leaves an entry under
 * another one's key alone (0.1 kB in a signature). A send under a permission looks itself whether earlier ones are still in
 * blocks, and seals them: 0.4 kB, for which the page's next send loads 1.7 kB less.
 * The panel's words then left those of setting a wallet up, which the dialog
 * loads: onboarding is 2.4 kB lighter, and the panel's row counts 3.1 kB of words. The Bitcoin side costs each page 55 bytes, a signature
 * 0.3 kB, the dialog 0.3 kB, mostly words, a transaction's view 0.4 kB, and the panel 0.4 kB of words; its own views load when they are shown.
 * The panel then tells a transaction by its effects (0.8 kB), with 0.5 kB of words for these and for what came in. The activity and a
 * received payment are chunks that load when they are shown (3 kB).
 * The line of results is a chunk of its own, with its words. It costs each page 20 bytes and a question 0.1 kB. The panel's row has the
 * loader of its words (0.1 kB), which the dialog had. Contacts and accounts to look at cost it 1.5 kB, of which 1 kB are words; their views,
 * the list of recipients and the code of a payment load when they are shown. Allowances cost it 0.1 kB of words, and a signature 0.1 kB, which records permits.
 * Contacts and accounts to look at then cost each page 0.2 kB (the session's list of these accounts, and names of functions), with the option
 * of the price, and a signature 1.5 kB: reading contacts, comparing all recipients with them, and asking again what a locked wallet
 * did not know. The words of these, of the price and of a sign-in with the connection cost the dialog 0.4 kB; a transaction's view has the price (0.3 kB). Calls that a
 * file explains cost that view 0.4 kB, and a sign-in by wagmi's connect its connector 0.2 kB; what reads the files loads with them.
 * The sign-in itself is a chunk of its own; what the signer's row has of it reads its message. A press that counts from when it
 * was made costs 50 bytes where buttons are guarded. Then the methods of signatures and of subscriptions became chunks of their own, as
 * did what a signature of typed data needs for calls and tokens; the owner's functions and the serialised transaction left the steps that do
 * without them. The signer is 5.7 kB lighter, and onboarding has 0.9 kB of these functions. Then the methods of transactions left those
 * of messages, for 10 bytes in bridge and host, and the panel's views became files that load when they are shown: its row, which
 * counts what the home needs, is 6.8 kB lighter, and a page of one import of it 0.1 kB heavier, for their loaders.
 */
const budgets: Weights = {
  shell: 9530,
  core: 24050,
  signing: 52250,
  vault: 6760,
  mnemonic: 12590,
  dialog: 26770,
  transaction: 8540,
  onboarding: 8750,
  panel: 16150,
  bridge: 5160,
  host: 6950,
};

/** What a page may load before its first line runs, with an entry of the package, by Vite or esbuild: the larger one. */
const entries: Readonly<Record<string, number>> = {
  'graft-wallet': 12900,
  'graft-wallet/ui': 30550,
  'graft-wallet/bridge': 5160,
  'graft-wallet/host': 12900,
  'graft-kit/testing': 7600,
  'graft-wallet/inspect': 7210,
  'graft-wallet/proof': 6020,
  'graft-wallet/viem': 1840,
  'graft-wallet/wagmi': 3060,
  'graft-wallet/rainbowkit': 2350,
  'graft-relay': 74250,
  'graft-relay/worker': 78400,
};

/** The same with one import of it. esbuild also loads what lazy parts share with it, Vite about half of these sizes. */
const imports: Readonly<Record<string, number>> = {
  "{ announce } from 'graft-wallet'": 9540,
  "{ checksumAddress } from 'graft-wallet'": 8950,
  "{ errorCode, isProviderRpcError } from 'graft-wallet'": 8960,
  "{ createMemoryStorage } from 'graft-wallet'": 9210,
  "{ abiCalls } from 'graft-wallet'": 10140,
  "{ solidityErrors } from 'graft-wallet'": 9830,
  "{ panel } from 'graft-wallet/ui'": 30300,
  "{ dialog } from 'graft-wallet/ui'": 30300,
  "{ inspect } from 'graft-wallet/inspect'": 6680,
  "{ inspector } from 'graft-wallet/inspect'": 7110,
  "{ headless } from 'graft-kit/testing'": 4750,
  "{ graftTransport } from 'graft-wallet/viem'": 945,
  "{ rootstock } from 'graft-wallet/viem'": 690,
};
const pageOf = (what: string): string => {
  const [, names = ''] = /^\{ (.*) \}/.exec(what) ?? [];
  return `import ${what}; globalThis.used = [${names}];`;
};
const firstOf = (page: ByBundler | undefined): number =>
  Math.max(page?.vite.first as number, page?.esbuild.first as number);

let built: Built;
let weighed: Weighed;

beforeAll(async () => {
  built = await buildPackage(entryBuilds);
  weighed = await weigh(built);
}, 600_000);

afterAll(() => built?.stop());

describe('weight', () => {
  test.each(Object.keys(budgets) as (keyof Weights)[])('%s stays within its budget', (step) => {
    expect(weighed.weights[step]).toBeLessThanOrEqual(budgets[step]);
  });

  test('the script of the bridge stays within its budget, what it loads later excluded', async () => {
    expect(brotliSize(await built.read('graft-bridge.js'))).toBeLessThanOrEqual(5050);
  });

  test.each([
    ['viem', 3600],
    ['wagmi', 3000],
    ['rainbowkit', 640],
  ])('the adapter for %s stays within its budget', async (name, budget) => {
    const code = await built.read(`adapters/${name}.js`);
    expect(brotliSize(code)).toBeLessThanOrEqual(budget);
    // Its library, the icon, and another adapter: nothing of the wallet.
    const imported = [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from);
    const known = /^(viem(\/(accounts|actions))?|\.\/(icon|viem|wagmi)\.js)$/;
    expect(imported).not.toEqual([]);
    expect(imported.filter((from) => !known.test(from as string))).toEqual([]);
  });

  test('the script tag’s file stays within its budget, what it loads later excluded', async () => {
    expect(brotliSize(await built.read('graft.js'))).toBeLessThanOrEqual(9_390);
  });

  test.each([
    ['socket-source', 2_000],
    ['filter-source', 1_000],
    ['pushed-heads', 2_000],
  ])(
    '%s, for pushed heads, is a chunk of its own within its budget, which following the chain does not load',
    async (name, budget) => {
      const size = [...weighed.files].find(([file]) => file.includes(name))?.[1];
      expect(size).toBeGreaterThan(300);
      expect(size).toBeLessThanOrEqual(budget);
      const code = await built.read('following.js');
      expect(code).toMatch(new RegExp(`import\\("\\./${name}\\.js"\\)`));
      expect(code).not.toMatch(new RegExp(`from "\\./${name}\\.js"`));
    },
  );

  test('a send under a permission stays within its budget for what it loads beside a payment', () => {
    const names = ['permitting', 'coverage', 'permission-terms'];
    const sizes = names.map((name) => [...weighed.files].find(([file]) => file.startsWith(`${name}-`))?.[1]);
    expect(Math.min(...sizes.map(Number))).toBeGreaterThan(100);
    expect(sizes.reduce<number>((sum, size) => sum + Number(size), 0)).toBeLessThanOrEqual(5_900);
  });

  describe('a page that imports one thing', () => {
    let pages: ReadonlyMap<string, ByBundler>;
    beforeAll(async () => {
      pages = await weighPages(built, [...entryPages.values(), ...Object.keys(imports).map(pageOf)]);
    }, 600_000);

    test.each(Object.entries(entries))('loads at most its budget of %s first', (name, budget) => {
      expect(firstOf(pages.get(entryPages.get(name) as string))).toBeLessThanOrEqual(budget);
    });

    test('has a budget for each entry that a page may load', () => {
      expect(Object.keys(entries).sort()).toEqual([...entryPages.keys()].sort());
    });

    test.each(Object.entries(imports))('loads at most its budget with import %s', (what, budget) => {
      expect(firstOf(pages.get(pageOf(what)))).toBeLessThanOrEqual(budget);
    });
  });

  test('the shell is bundled into the page’s own file', () => {
    expect(weighed.awaited).toEqual([]);
  });

  test('for a page that awaits its wallet at the top level, the shell is one file', async () => {
    const bundle = await built.bundle(awaitingPage, { preload: false });
    expect(eagerFiles(bundle)).toHaveLength(1);
  });

  test('shell and core load no signer, vault, mnemonic or dialog up front', async () => {
    const packages = ['secp256k1', 'bip39', 'hashes-scrypt', 'hashes-pbkdf2', 'preact', 'uqr'];
    // A name that no file has would find nothing.
    await Promise.all(packages.map((name) => built.read(`${name}.js`)));
    const parts = 'signing|vault|secrets|kdf|keystore|mnemonic|ui|dialog|sheet|panel|mount|onboarding';
    const lazy = new RegExp(`/dist/(${parts}|${packages.join('|')})`);
    expect(weighed.upFront.filter((module) => lazy.test(module))).toEqual([]);
    expect(weighed.upFront.some((module) => module.endsWith('/dist/core.js'))).toBe(true);
  });

  test('the line of results and its words stay within their budget', () => {
    const sizes = ['result-line', 'result-en'].map((name) =>
      Number([...weighed.files].find(([file]) => file.includes(name))?.[1]),
    );
    expect(Math.min(...sizes)).toBeGreaterThan(300);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4_250);
  });

  test('the dialog loads nothing of the panel or the line of results and no QR code', () => {
    const panel = /\/dist\/(panel|mount|panel-en|setup-en|result-line|result-en)\.js|uqr/;
    expect(weighed.byDialog.some((module) => module.includes('preact'))).toBe(true);
    expect(weighed.byDialog.filter((module) => panel.test(module))).toEqual([]);
  });
});
