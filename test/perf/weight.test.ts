import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../support/built.js';
import { awaitingPage, eagerFiles, type Weighed, type Weights, weigh } from './weight.js';

/**
 * What each step may weigh, bytes after brotli: its size when last looked at, and 5 %. Lower them when a step
 * gets lighter; before raising one, see what it bought. Raised last for: options that are read as own properties, the
 * table of other services' dialects, outcomes that are looked up before they are believed, and a dialog that is drawn
 * by Preact (4.6 kB), is there in three languages and lets a person set a wallet up, recover one and change a fee. Then
 * for the owner's functions: passkeys, backup files, replacing and erasing a wallet, several mnemonics and their accounts;
 * for networks that are kept over reloads, recipients, known tokens and contracts, and prices to choose from. Core and host
 * got what reads batches, settings and large requests from the shell, which each page loads.
 */
const budgets: Weights = {
  shell: 9300,
  core: 30450,
  signing: 26700,
  vault: 8550,
  mnemonic: 13400,
  dialog: 19900,
  transaction: 6900,
  onboarding: 8100,
  panel: 12700,
  bridge: 5950,
  host: 4150,
};

let built: Built;
let weighed: Weighed;

beforeAll(async () => {
  built = await buildPackage();
  weighed = await weigh(built);
}, 180_000);

afterAll(() => built?.stop());

describe('weight', () => {
  test.each(Object.keys(budgets) as (keyof Weights)[])('%s stays within its budget', (step) => {
    expect(weighed.weights[step]).toBeLessThanOrEqual(budgets[step]);
  });

  test('the script of the bridge stays within its budget, what it loads later excluded', async () => {
    expect(brotliCompressSync(await built.read('graft-bridge.js')).length).toBeLessThanOrEqual(6450);
  });

  test.each([
    ['viem', 2450],
    ['wagmi', 1640],
    ['rainbowkit', 640],
  ])('the adapter for %s stays within its budget', async (name, budget) => {
    const code = await built.read(`adapters/${name}.js`);
    expect(brotliCompressSync(code).length).toBeLessThanOrEqual(budget);
    // Its library, the icon, and another adapter: nothing of the wallet.
    const imported = [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from);
    const known = /^(viem(\/(accounts|actions))?|\.\/(icon|viem|wagmi)\.js)$/;
    expect(imported).not.toEqual([]);
    expect(imported.filter((from) => !known.test(from as string))).toEqual([]);
  });

  test('the script tag’s file stays within its budget, what it loads later excluded', async () => {
    expect(brotliCompressSync(await built.read('graft.js')).length).toBeLessThanOrEqual(8_000);
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

  test('the shell is bundled into the page’s own file', () => {
    expect(weighed.awaited).toEqual([]);
  });

  test('for a page that awaits its wallet at the top level, the shell is one file', async () => {
    const bundle = await built.bundle(awaitingPage, { preload: false });
    expect(eagerFiles(bundle)).toHaveLength(1);
  });

  test('shell and core load no signer, vault, mnemonic or dialog up front', () => {
    const lazy =
      /secp256k1|@scure|scrypt|pbkdf2|preact|\/dist\/(signing|vault|secrets|kdf|keystore|mnemonic|ui|dialog|sheet|panel|mount|onboarding)/;
    expect(weighed.upFront.filter((module) => lazy.test(module))).toEqual([]);
    expect(weighed.upFront.some((module) => module.endsWith('/dist/core.js'))).toBe(true);
  });

  test('the dialog loads nothing of the panel and no QR code', () => {
    const panel = /\/dist\/(panel|mount|panel-en)\.js|uqr/;
    expect(weighed.byDialog.some((module) => module.includes('preact'))).toBe(true);
    expect(weighed.byDialog.filter((module) => panel.test(module))).toEqual([]);
  });
});
