import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../support/built.js';
import { awaitingPage, eagerFiles, type Weighed, type Weights, weigh } from './weight.js';

/**
 * What each step may weigh, bytes after brotli: its size when last looked at, and 5 %. Lower them when a step
 * gets lighter; before raising one, see what it bought. Raised last for: options that are read as own properties, the
 * table of other services' dialects, outcomes that are looked up before they are believed, and a dialog that is drawn
 * by Preact (4.6 kB), is there in three languages and lets a person set a wallet up, recover one and change a fee. Then
 * for the owner's functions: passkeys, backup files, replacing and erasing a wallet, several mnemonics and their accounts;
 * for networks that are kept over reloads, recipients, known tokens and contracts, and prices to choose from.
 */
const budgets: Weights = {
  shell: 9900,
  core: 29100,
  signing: 26700,
  vault: 8550,
  mnemonic: 13400,
  dialog: 19900,
  transaction: 6900,
  onboarding: 8100,
  panel: 12700,
};

let built: Built;
let weighed: Weighed;

beforeAll(async () => {
  built = await buildPackage();
  weighed = await weigh(built);
}, 60_000);

afterAll(() => built?.stop());

describe('weight', () => {
  test.each(Object.keys(budgets) as (keyof Weights)[])('%s stays within its budget', (step) => {
    expect(weighed.weights[step]).toBeLessThanOrEqual(budgets[step]);
  });

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
