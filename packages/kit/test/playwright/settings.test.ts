import { describe, expect, test } from 'vitest';
import { addressesOf, readSettings, type WalletOptions } from '../../src/playwright/settings.js';

const chain = { chainId: 33, url: 'http://127.0.0.1:1/a-secret-key' };
const privateKey = `0x${'47'.repeat(32)}` as const;

describe('an option that is wrong is an error that names it and holds no value', () => {
  test.each<[string, object, string]>([
    [
      'a member',
      { accuonts: [privateKey] },
      'walletOptions: there is no member "accuonts"; its members are networks, chain, mnemonic, accounts, password, isMetaMask, announcement, dialog, bridge, pollingInterval, answers, timeout',
    ],
    ...[0, -1, 1.5, [], privateKey, [7], null].map((accounts): [string, object, string] => [
      `accounts: ${JSON.stringify(accounts)}`,
      { accounts },
      'accounts: expected a whole number from 1, or a list of at least one private key',
    ]),
    ['a short password', { password: 'secret7' }, 'password: expected at least 8 characters'],
    ['a mnemonic that is no text', { mnemonic: ['test'] }, 'mnemonic: expected the words of a mnemonic'],
    ['another type', { dialog: 'yes' }, 'dialog: expected true or false'],
    ['a name in place of an announcement', { announcement: 'MetaMask' }, 'announcement: expected an object'],
    ['a time limit', { timeout: '5000' }, 'timeout: expected milliseconds'],
    ...[
      'wallet.example.com',
      'https://wallet.example.com/',
      'https://wallet.example.com/frame.html',
      'http://wallet.example.com',
      'https://WALLET.example.com',
      'https://wallet.example.com:443',
      '*',
      7,
      null,
    ].map((bridge): [string, object, string] => [
      `bridge: ${bridge}`,
      { bridge },
      'bridge: expected an https origin, such as https://wallet.example.com',
    ]),
    ['a chain that is a URL', { chain: chain.url }, 'chain: expected an object with chainId and url'],
  ])('%s', (_, options, message) => {
    expect(() => readSettings({ chain, ...options } as WalletOptions)).toThrow(new Error(message));
  });
});

test('the options of a whole wallet, with rules and a time limit, serve to find its addresses', async () => {
  const options = { chain, accounts: 2, answers: [], timeout: 1, dialog: true };
  expect(await addressesOf(options)).toHaveLength(2);
  // The first address of the public mnemonic at Rootstock's path, which the guide has.
  expect(await addressesOf({ chain })).toEqual(['0x0d365f5da75b496158111650c0d5358f9c7d2070']);
});
