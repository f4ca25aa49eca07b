import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../support/built.js';
import { awaitingPage, eagerFiles, type Weighed, type Weights, weigh } from './weight.js';

/**
 * What each step may weigh, bytes after brotli: its size when last looked at, and 5 %. Lower them when a step
 * gets lighter; before raising one, see what it bought. Raised last for: options that are read as own properties, the
 * table of other services' dialects, outcomes that are looked up before they are believed, and a dialog that
 * describes every form of permit and watches its own visibility. Then for the owner's functions: passkeys, backup files,
 * replacing and erasing a wallet, several mnemonics and their accounts (shell, signing, mnemonic).
 */
const budgets: Weights = {
  shell: 8950,
  core: 26200,
  signing: 21900,
  vault: 8550,
  mnemonic: 13400,
  dialog: 15550,
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
    const lazy = /secp256k1|@scure|scrypt|pbkdf2|\/dist\/(signing|vault|secrets|kdf|keystore|mnemonic|ui)/;
    expect(weighed.upFront.filter((module) => lazy.test(module))).toEqual([]);
    expect(weighed.upFront.some((module) => module.endsWith('/dist/core.js'))).toBe(true);
  });
});
