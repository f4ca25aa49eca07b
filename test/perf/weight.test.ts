import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildPackage } from '../support/built.js';
import { awaitingPage, eagerFiles, type Weighed, type Weights, weigh } from './weight.js';

/**
 * What each step may weigh, bytes after brotli: its size when last looked at, and 5 %. Lower them when a step
 * gets lighter; before raising one, see what it bought. Raised last for: networks that are kept over reloads (shell), and
 * recipients, known tokens and contracts, prices to choose from and transactions that are rebuilt from the answer
 * (signing), with their texts (dialog).
 */
const budgets: Weights = {
  shell: 9500,
  core: 28900,
  signing: 25500,
  vault: 8800,
  mnemonic: 8100,
  dialog: 16500,
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
