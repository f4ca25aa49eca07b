import { expect, test, vi } from 'vitest';
import { derivePrivateKey } from '../../../src/keyring/hd.js';
import type { Keyring } from '../../../src/keyring/keyring.js';
import { createProfile } from './profile.js';

vi.mock('../../../src/keyring/hd.js', { spy: true });

const pathAt = (index: number) => `m/44'/60'/0'/0/${index}`;
const phrase = 'test test test test test test test test test test test junk';
const mnemonic: Keyring.Secret = { type: 'mnemonic', mnemonic: phrase, path: pathAt(0) };

test('the thirtieth account takes as many derivations as the second one', async () => {
  vi.stubGlobal('location', { hostname: 'app.example' });
  const keyring = createProfile().page();
  await keyring.create(mnemonic, 'a');
  const counts: number[] = [];
  for (let i = 0; i < 29; i++) {
    vi.mocked(derivePrivateKey).mockClear();
    await keyring.deriveNext(pathAt);
    counts.push(vi.mocked(derivePrivateKey).mock.calls.length);
  }
  expect(new Set(counts)).toEqual(new Set([1]));
  expect((await keyring.accounts()).map(({ path }) => path)).toEqual(
    Array.from({ length: 30 }, (_, i) => pathAt(i)),
  );
  vi.unstubAllGlobals();
});
