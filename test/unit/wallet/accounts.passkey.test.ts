import 'fake-indexeddb/auto';
import { mnemonicToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PasskeyWallet } from '../../../src/approvals/owner.js';
import type { Address } from '../../../src/rpc/schema.js';
import { createFakeAuthenticator } from '../../support/fake-authenticator.js';
import { everythingIn } from '../../support/secrecy.js';
import { closeAll, createBrowser } from './one-browser.js';

/** A passkey that brings a wallet back after all data is gone. */

const passkey = { passkey: true } as const;
const password = 'correct horse battery';
const addressOf = (phrase: string, coinType: number, index: number) =>
  mnemonicToAccount(phrase, {
    path: `m/44'/${coinType}'/0'/0/${index}` as never,
  }).address.toLowerCase() as Address;

beforeEach(() => vi.stubGlobal('location', { hostname: 'wallet.example' }));
afterEach(() => {
  closeAll();
  vi.unstubAllGlobals();
});

const rejection = async (promise: Promise<unknown>): Promise<Error & { code: number; data?: unknown }> => {
  try {
    await promise;
  } catch (error) {
    return error as Error & { code: number };
  }
  throw new Error('it was taken');
};

/** A person with a wallet whose passkey is `abilities`, and what is left after the browser has deleted everything. */
async function afterLosingAll(abilities: Parameters<typeof createFakeAuthenticator>[0] = {}) {
  const authenticator = createFakeAuthenticator(abilities);
  const lost = createBrowser({ authenticator }).open();
  const made = await lost.createFromPasskey('My wallet');
  const browser = createBrowser({ authenticator });
  return { ...made, lost, authenticator, browser, wallet: browser.open() };
}

describe('a wallet from a passkey', () => {
  test('has the words that the passkey gives, opens with it, and is backed up by it', async () => {
    const browser = createBrowser();
    const wallet = browser.open();
    const { mnemonic, account, restores } = await wallet.createFromPasskey('My wallet');
    expect(mnemonic.split(' ')).toHaveLength(12);
    expect(account.address).toBe(addressOf(mnemonic, 37310, 0));
    expect(restores).toBe(true);
    expect(wallet.session.state()).toMatchObject({ backup: 'done', accounts: [account] });
    expect(await wallet.passkeys()).toMatchObject([{ name: 'My wallet', restores: true }]);
    expect(browser.authenticator.prompts).toEqual(['create', 'get']);
    const page = browser.open();
    await page.unlock(passkey);
    expect(await page.exportMnemonic(passkey)).toBe(mnemonic);
    expect((await createBrowser().open().createFromPasskey('My wallet')).mnemonic).not.toBe(mnemonic);
  });

  test('is asked for as the specification says: a resident passkey, a verified person, one salt', async () => {
    const { authenticator, wallet, browser } = await afterLosingAll();
    browser.used.add(`0x${'11'.repeat(20)}`);
    await wallet.restoreFromPasskey({ confirm: () => true });
    const [created, first, again] = authenticator.requests as [
      PublicKeyCredentialCreationOptions,
      PublicKeyCredentialRequestOptions,
      PublicKeyCredentialRequestOptions,
    ];
    expect(created.authenticatorSelection).toEqual({ residentKey: 'required', userVerification: 'required' });
    expect(created.extensions?.prf?.eval?.first).toEqual(first.extensions?.prf?.eval?.first);
    expect(again).toMatchObject({
      rpId: 'wallet.example',
      allowCredentials: [],
      userVerification: 'required',
    });
    expect(Object.keys(again.extensions?.prf ?? {})).toEqual(['eval']);
    expect(again.extensions?.prf?.eval?.first).toEqual(first.extensions?.prf?.eval?.first);
  });

  test('takes the value of get() even where create() gives one', async () => {
    const { mnemonic, wallet, authenticator } = await afterLosingAll({ prf: 'at once' });
    expect(authenticator.prompts).toEqual(['create', 'get']);
    await wallet.restoreFromPasskey({ confirm: () => true });
    expect(await wallet.exportMnemonic(passkey)).toBe(mnemonic);
  });

  test('on a device that keeps its passkeys to itself, it only unlocks, and the words are the backup', async () => {
    const browser = createBrowser({ authenticator: createFakeAuthenticator({ backsUp: false }) });
    const wallet = browser.open();
    const { restores } = await wallet.createFromPasskey('This laptop');
    expect(restores).toBe(false);
    expect(wallet.session.state().backup).toBe('needed');
    const [row] = await wallet.passkeys();
    expect(row?.restores).toBeUndefined();
    await browser.open().unlock(passkey);
  });

  test.each([
    ['a cancelled prompt', {}, ['NotAllowedError'], 4001],
    ['a cancelled second prompt', {}, ['accept', 'NotAllowedError'], 4001],
    ['no PRF', { prf: 'no' }, ['accept'], 4200],
    ['no value when asked', { prf: 'silent' }, ['accept'], 4200],
    ['a person who was not verified', { verifies: false }, ['accept'], 4200],
  ] as const)(
    '%s leaves no wallet, and no passkey that looks like one',
    async (_, abilities, answers, code) => {
      const authenticator = createFakeAuthenticator(abilities);
      const wallet = createBrowser({ authenticator }).open();
      authenticator.answer(...answers);
      expect(await rejection(wallet.createFromPasskey('My wallet'))).toMatchObject({ code });
      expect(await wallet.state()).toBe('empty');
      expect(authenticator.forgotten).toEqual(authenticator.passkeys.map(({ id }) => id));
    },
  );

  test('is refused anywhere but on the wallet’s own site, before a prompt', async () => {
    const browser = createBrowser({ ownSite: false });
    const wallet = browser.open();
    expect(wallet.ownSite).toBe(false);
    for (const call of [() => wallet.createFromPasskey('x'), () => wallet.restoreFromPasskey()])
      expect(await rejection(call())).toMatchObject({
        code: 4200,
        message: expect.stringContaining('own site'),
      });
    expect(browser.authenticator.prompts).toEqual([]);
  });

  test('is refused where there is a wallet, before a prompt', async () => {
    const { authenticator, lost } = await afterLosingAll();
    const before = authenticator.prompts.length;
    for (const call of [() => lost.createFromPasskey('x'), () => lost.restoreFromPasskey()])
      expect(await rejection(call())).toMatchObject({ code: -32002 });
    expect(authenticator.prompts).toHaveLength(before);
  });
});

describe('after the browser has deleted everything', () => {
  test('one prompt brings the same used accounts back, and opens the vault from then on', async () => {
    const { mnemonic, authenticator, browser, wallet } = await afterLosingAll();
    const used = [addressOf(mnemonic, 37310, 0), addressOf(mnemonic, 37310, 2), addressOf(mnemonic, 60, 0)];
    for (const address of used) browser.used.add(address);
    const confirm = vi.fn();
    const accounts = await wallet.restoreFromPasskey({ name: 'My phone', confirm });
    expect(accounts.map(({ address }) => address)).toEqual(used);
    expect(confirm).not.toHaveBeenCalled();
    expect(authenticator.prompts).toEqual(['create', 'get', 'get']);
    expect(wallet.session.state()).toMatchObject({ backup: 'done', accounts });
    expect(await wallet.passkeys()).toMatchObject([{ name: 'My phone', restores: true }]);
    const page = browser.open();
    await page.unlock(passkey);
    expect(await page.exportMnemonic(passkey)).toBe(mnemonic);
  });

  test('a wallet without used accounts is shown before anything is stored', async () => {
    const { account, browser, wallet } = await afterLosingAll();
    const asked: PasskeyWallet[] = [];
    const restored = wallet.restoreFromPasskey({
      async confirm(found) {
        asked.push(found);
        expect(await wallet.state()).toBe('empty');
        expect(wallet.session.state().accounts).toEqual([]);
        return true;
      },
    });
    expect(await restored).toMatchObject([{ address: account.address }]);
    expect(asked).toEqual([{ address: account.address, found: 'unused' }]);
    expect(await browser.open().state()).toBe('locked');
  });

  test('a device that gives another value than before shows another address, and makes nothing of it', async () => {
    const { account, authenticator, browser, wallet } = await afterLosingAll();
    browser.used.add(account.address);
    authenticator.set({ agrees: false });
    const confirm = vi.fn((_: PasskeyWallet) => false);
    expect(await rejection(wallet.restoreFromPasskey({ confirm }))).toMatchObject({ code: 4001 });
    const [[shown] = []] = confirm.mock.calls;
    expect(shown?.found).toBe('unused');
    expect(shown?.address).not.toBe(account.address);
    expect(await wallet.state()).toBe('empty');
    // The same passkey, once the device agrees again.
    authenticator.set({ agrees: true });
    expect(await wallet.restoreFromPasskey({ confirm })).toMatchObject([{ address: account.address }]);
    expect(authenticator.forgotten).toEqual([]);
  });

  test('without somebody to ask, a wallet without used accounts is refused by its address', async () => {
    const { account, wallet } = await afterLosingAll();
    expect(await rejection(wallet.restoreFromPasskey())).toMatchObject({
      code: -32002,
      data: { reason: 'passkey-unused', address: account.address },
    });
    expect(await wallet.state()).toBe('empty');
  });

  test('where the network is out of reach, that is said, and the wallet comes back all the same', async () => {
    const { account, browser, wallet } = await afterLosingAll();
    browser.chain.used = null;
    const confirm = vi.fn(() => true);
    expect(await wallet.restoreFromPasskey({ confirm })).toMatchObject([{ address: account.address }]);
    expect(confirm).toHaveBeenCalledWith({ address: account.address, found: 'unknown' });
  });

  test('a deleted passkey, a cancelled prompt and another host bring nothing back', async () => {
    const { authenticator, wallet } = await afterLosingAll();
    authenticator.answer('NotAllowedError');
    expect(await rejection(wallet.restoreFromPasskey())).toMatchObject({ code: 4001 });
    authenticator.answer('accept');
    vi.stubGlobal('location', { hostname: 'other.example' });
    expect(await rejection(wallet.restoreFromPasskey())).toMatchObject({ code: 4001 });
    vi.stubGlobal('location', { hostname: 'wallet.example' });
    authenticator.lose(authenticator.passkeys[0]?.id as string);
    expect(await rejection(wallet.restoreFromPasskey())).toMatchObject({ code: 4001 });
    expect(await wallet.state()).toBe('empty');
  });

  test('refuses a passkey that only unlocks', async () => {
    const authenticator = createFakeAuthenticator();
    const plain = createBrowser({ authenticator }).open();
    await plain.importMnemonic(await plain.newMnemonic(), { passkey: { name: 'Unlocks' } });
    const wallet = createBrowser({ authenticator }).open();
    expect(await rejection(wallet.restoreFromPasskey({ confirm: () => true }))).toMatchObject({
      code: 4100,
      message: expect.stringContaining('cannot bring one back'),
    });
    expect(await wallet.state()).toBe('empty');
  });

  test('an abort stops the search and the question', async () => {
    const { wallet, browser } = await afterLosingAll();
    for (const reachable of [new Set<Address>(), null]) {
      browser.chain.used = reachable;
      const stop = new AbortController();
      const restoring = wallet.restoreFromPasskey({
        signal: stop.signal,
        confirm() {
          stop.abort();
          return new Promise(() => {});
        },
      });
      expect(await rejection(restoring)).toMatchObject({ code: 4001 });
    }
    const stop = new AbortController();
    const searching = wallet.restoreFromPasskey({ signal: stop.signal, onProgress: () => stop.abort() });
    expect(await rejection(searching)).toMatchObject({ code: 4001 });
    expect(await wallet.state()).toBe('empty');
  });

  test('replaces a wallet whose password was forgotten, and the old password opens nothing', async () => {
    const { account, browser, wallet } = await afterLosingAll();
    browser.used.add(account.address);
    await wallet.create(password);
    expect(await wallet.restoreFromPasskey({ replace: true })).toMatchObject([{ address: account.address }]);
    const page = browser.open();
    expect(await rejection(page.unlock(password))).toMatchObject({ code: 4100 });
    await page.unlock(passkey);
    expect(page.session.state().accounts).toMatchObject([{ address: account.address }]);
  });
});

describe('nothing of ours tells a password manager to delete a passkey that is the way back', () => {
  test.each([
    ['erasing', (wallet) => wallet.erase()],
    [
      'removing it from the wallet',
      async (wallet) => {
        await wallet.changePassword(passkey, password);
        await wallet.removePasskey((await wallet.passkeys())[0]?.id as string);
      },
    ],
    ['replacing the wallet', (wallet) => wallet.importMnemonic(words, { password, replace: true })],
    [
      'a restoration that does not go on',
      async (wallet) => {
        await wallet.erase();
        await rejection(wallet.restoreFromPasskey());
      },
    ],
  ] as const satisfies readonly (readonly [string, (wallet: Lost) => Promise<unknown>])[])(
    '%s',
    async (_, act) => {
      const { account, lost, authenticator, wallet } = await afterLosingAll();
      await act(lost);
      expect(authenticator.forgotten).toEqual([]);
      const back = await wallet.restoreFromPasskey({ confirm: () => true });
      expect(back).toMatchObject([{ address: account.address }]);
    },
  );

  test('a passkey that lives on one device only is forgotten with its wallet', async () => {
    const { lost, authenticator } = await afterLosingAll({ backsUp: false });
    await lost.erase();
    expect(authenticator.forgotten).toEqual(authenticator.passkeys.map(({ id }) => id));
  });

  test('it stays the way back through changes of the other ways, and its removal asks for a backup', async () => {
    const { lost } = await afterLosingAll();
    await lost.changePassword(passkey, password);
    await lost.changePassword(password, `${password} 2`);
    const { id } = (await lost.passkeys())[0] as { id: string };
    await lost.renamePasskey(id, 'Renamed');
    expect(await lost.passkeys()).toMatchObject([{ id, name: 'Renamed', restores: true }]);
    expect(lost.session.state().backup).toBe('done');
    await lost.removePasskey(id);
    expect(lost.session.state().backup).toBe('needed');
  });
});

test('the words are those of the documented derivation', async () => {
  // HKDF-SHA-256 of the output for the salt SHA-256("graft/recovery/1"), computed by Node beside the wallet.
  const { hkdfSync, createHash, createHmac } = await import('node:crypto');
  const { entropyToMnemonic } = await import('@scure/bip39');
  const { wordlist } = await import('@scure/bip39/wordlists/english.js');
  const device = 'a device of its own';
  const authenticator = createFakeAuthenticator({}, device);
  const { mnemonic } = await createBrowser({ authenticator }).open().createFromPasskey('My wallet');
  const salt = createHash('sha256').update('graft/recovery/1').digest();
  const output = createHmac('sha256', `${device} ${authenticator.passkeys[0]?.id} true`)
    .update(salt)
    .digest();
  const entropy = new Uint8Array(hkdfSync('sha256', output, new Uint8Array(0), 'graft/recovery/1', 16));
  expect(mnemonic).toBe(entropyToMnemonic(entropy, wordlist));
});

test('neither value nor words are in an error, the session or the storage', async () => {
  const { mnemonic, lost, browser, wallet } = await afterLosingAll();
  const error = await rejection(wallet.restoreFromPasskey());
  const seen = everythingIn([error, lost.session.state(), wallet.session.state(), browser.requests]);
  for (const word of [mnemonic, mnemonic.split(' ').slice(0, 2).join(' ')]) expect(seen).not.toContain(word);
});

type Lost = Awaited<ReturnType<typeof afterLosingAll>>['lost'];
const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
