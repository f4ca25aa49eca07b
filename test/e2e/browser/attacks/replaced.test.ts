import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../support/chromium.js';
import { type Served, servePage } from '../../../support/serve.js';
import { answer } from './pollution-tables.js';
import type { ReplacedPage } from './replaced-page.js';

/**
 * A script that replaces built-ins after the wallet has loaded, while a wallet is made, unlocked and used: of the secrets
 * that pass through those built-ins none is shown to it. What the libraries call themselves is in SECURITY.md.
 */

let served: Served;
let browser: Browser;
let recorded: ReplacedPage['recorded'];
/** By what they are, as a recorder would show them: as text, or the hexadecimal digits of the bytes. */
let secrets: Readonly<Record<string, readonly string[]>>;

const digits = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const both = (text: string) => [text, digits(Buffer.from(text))];

beforeAll(async () => {
  [served, browser] = await Promise.all([
    servePage({
      html: '<!doctype html><title>Replaced</title><link rel="icon" href="data:,"><script type="module" src="/test/e2e/browser/attacks/replaced-page.ts"></script>',
    }),
    launchChromium(),
  ]);
  const page = await browser.newPage();
  await page.route('**/rpc/k3y', async (route) => {
    const { id, method, params } = route.request().postDataJSON();
    await route.fulfill({ json: { jsonrpc: '2.0', id, ...answer(31, method, params) } });
  });
  // Keys are known to nobody but the wallet. The test sees those that WebCrypto is given, from before the wallet loads.
  await page.addInitScript(() => {
    const keys: string[] = [];
    Object.assign(window, { keys });
    const original = SubtleCrypto.prototype.importKey as (...args: unknown[]) => Promise<CryptoKey>;
    Object.assign(SubtleCrypto.prototype, {
      importKey(this: SubtleCrypto, ...args: unknown[]) {
        const bytes = args[1] as Uint8Array;
        if (args[2] === 'HKDF')
          keys.push(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''));
        return original.apply(this, args);
      },
    });
  });
  await page.goto(served.url);
  await page.waitForFunction(() => 'page' in window);
  const seen = await page.evaluate(async () => {
    const { page: replaced, keys } = window as unknown as { page: ReplacedPage; keys: string[] };
    replaced.replace();
    const found = await replaced.run();
    // A dapp beside the wallet: the recorders do record.
    const bytes = new TextEncoder().encode('of the page'.normalize());
    await crypto.subtle.digest('SHA-256', crypto.getRandomValues(bytes.slice()));
    new Worker(URL.createObjectURL(new Blob(['of the page'])));
    await fetch('/');
    return { ...found, keys, recorded: replaced.recorded };
  });
  recorded = seen.recorded;
  secrets = {
    password: seen.passwords.flatMap(both),
    'vault key': seen.keys,
    mnemonic: both(seen.mnemonic),
    entropy: [digits(mnemonicToEntropy(seen.mnemonic, wordlist))],
    wif: both(seen.wif),
    'private key': seen.privateKeys.flatMap((key) => [key, key.slice(2), ...both(key)]),
  };
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

/** Which secrets each recorder has seen. */
const leaks = () =>
  Object.entries(recorded).flatMap(([name, values]) =>
    Object.entries(secrets).flatMap(([kind, forms]) =>
      values.some((value) => forms.some((form) => value.includes(form))) ? [`${name}: ${kind}`] : [],
    ),
  );

/** The libraries that sign (`@noble/*`) and that read mnemonics (`@scure/bip39`) call the page's own. */
const inLibraries = [
  'String.normalize: mnemonic',
  'Uint8Array.fill: entropy',
  'Uint8Array.set: entropy',
  'Uint8Array.set: private key',
  'Uint8Array.subarray: entropy',
  'Uint8Array.subarray: private key',
];

describe('built-ins replaced after the wallet has loaded', () => {
  test('never get a secret from our own code', () => {
    expect(new Set(secrets['vault key']).size).toBeGreaterThan(3);
    expect(leaks().filter((leak) => !inLibraries.includes(leak))).toEqual([]);
  });

  test('get from libraries the keys and mnemonics that SECURITY.md lists', () => {
    expect(leaks().sort()).toEqual(inLibraries);
  });

  test.each([
    'Blob',
    'TextEncoder.encode',
    'URL.createObjectURL',
    'Worker',
    'crypto.getRandomValues',
    'crypto.subtle.digest',
    'fetch',
  ])('%s is recorded when the page itself calls it', (name) => {
    expect(recorded[name]).not.toEqual(undefined);
  });
});
