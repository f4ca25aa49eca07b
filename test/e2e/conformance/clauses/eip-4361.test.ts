import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageQuestion } from '../../../../src/approvals/question.js';
import { checksumAddress } from '../../../../src/index.js';
import { owners, values } from '../../../support/keys.js';
import { openPage, type Page, withKeys } from '../../../support/page.js';

/** EIP-4361: sign-in messages. Recognised, shown, and bound to who asks. No service is asked. */

const url = 'http://127.0.0.1:1/key';
let page: Page;
/** The same wallet at another site, as another page of that site would have it. */
const pages: Page[] = [];
const at = (origin: string, signIn: 'refuse' | 'warn' = 'refuse'): Page => {
  const opened = openPage({ networks: [{ chainId: 31, url }], origin, signIn });
  opened.decide(() => false);
  pages.push(opened);
  return opened;
};

beforeAll(async () => {
  page = await withKeys(openPage({ networks: [{ chainId: 31, url }], session: 'none' }));
});
afterAll(() => {
  for (const each of [page, ...pages]) each.close();
});

const address = owners[0]?.address as `0x${string}`;
interface Fields {
  readonly scheme?: string;
  readonly domain?: string;
  readonly address?: string;
  readonly chainId?: string;
  readonly uri?: string;
  readonly lines?: string;
}
const message = ({ scheme = '', domain = 'app.example', chainId = '31', lines = '', ...who }: Fields = {}) =>
  `${scheme}${domain} wants you to sign in with your Ethereum account:\n${who.address ?? address}\n\n` +
  `Water the plants.\n\nURI: ${who.uri ?? 'https://app.example/login'}\nVersion: 1\n` +
  `Chain ID: ${chainId}\nNonce: 32891756\nIssued At: 2026-01-02T16:25:24Z${lines}`;
const hex = (text: string) => `0x${Buffer.from(text).toString('hex')}`;
const ask = (text: string, from: Page = page) => from.request('personal_sign', [hex(text), values.$A0]);
const refusal = (text: string, from: Page = page) => from.refusal('personal_sign', [hex(text), values.$A0]);
const shown = (from: Page = page) => from.questions.at(-1) as MessageQuestion;
const codes = (from: Page = page) => shown(from).warnings.map(({ code }) => code);
/** Refused before anybody was asked; the message names what is wrong. */
const isRefused = async (text: string, words: string, from: Page = page) => {
  const before = from.questions.length;
  expect(await refusal(text, from)).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  expect(from.questions).toHaveLength(before);
};

test('EIP-4361 (1) only what follows the whole grammar is a sign-in message', async () => {
  await ask(message());
  expect(shown().signIn).not.toBeNull();
  expect(codes()).toEqual([]);
  for (const text of [
    message({ lines: '\n' }),
    message().replaceAll('\n', '\r\n'),
    message().replace('Nonce: 32891756', 'Nonce: short'),
    message().replace('Chain ID: 31', 'Chain ID: 0x1f'),
  ]) {
    await ask(text);
    expect(shown().signIn).toBeNull();
  }
});

test('EIP-4361 (2) a malformed sign-in message is shown with a warning, and refused for another site', async () => {
  await isRefused(message({ domain: 'evil.example' }).replace('Version: 1\n', ''), 'evil.example');
  await ask(message().replace('Version: 1\n', ''));
  expect(shown().signIn).toBeNull();
  expect(codes()).toEqual(['sign-in-malformed']);
});

test('EIP-4361 (3) a message for another site is refused, or a warning where the owner wants that', async () => {
  for (const domain of ['evil.example', 'app.example.evil.com', 'evil.com@app.example'])
    await isRefused(message({ domain }), 'domain');
  const lenient = at('https://app.example', 'warn');
  expect(await refusal(message({ domain: 'evil.example' }), lenient)).toMatchObject({ code: 4001 });
  expect(codes(lenient)).toEqual(['sign-in-other-site']);
});

test('EIP-4361 (4) only https is accepted, and http on this machine', async () => {
  await isRefused(message({ scheme: 'http://' }), 'https');
  await isRefused(message(), 'https', at('http://app.example'));
  const local = at('http://localhost:5173');
  const uri = 'http://localhost:5173/login';
  expect(await refusal(message({ domain: 'localhost:5173', uri }), local)).toMatchObject({ code: 4001 });
  expect(codes(local)).toEqual([]);
});

test('EIP-4361 (5) the default scheme is https', async () => {
  await ask(message());
  expect(codes()).toEqual([]);
  await ask(message({ scheme: 'https://' }));
  expect(codes()).toEqual([]);
  expect(shown().signIn).toMatchObject({ scheme: 'https' });
});

test('EIP-4361 (6) another port, and a subdomain on either side, are refused', async () => {
  await isRefused(message({ domain: 'app.example:8443' }), 'domain');
  await isRefused(message({ domain: 'login.app.example' }), 'domain');
  await isRefused(message({ domain: 'example' }), 'domain');
  await isRefused(message(), 'domain', at('https://login.app.example'));
  await ask(message({ domain: 'app.example:443' }));
  expect(codes()).toEqual([]);
});

test('EIP-4361 (7) in a frame the frame’s origin is compared; a sandboxed frame has none', async () => {
  await isRefused(message(), 'domain', at('https://frame.example'));
  await isRefused(message(), 'domain', at('null'));
  const frame = at('https://frame.example');
  expect(await refusal(message({ domain: 'frame.example' }), frame)).toMatchObject({ code: 4001 });
});

test('EIP-4361 (8) the question carries every field of the message', async () => {
  const resources = '\nResources:\n- https://app.example/a\n- ipfs://b';
  await ask(message({ scheme: 'https://', lines: `\nRequest ID: 7${resources}` }));
  expect(shown()).toMatchObject({
    kind: 'message',
    origin: 'https://app.example',
    signIn: {
      scheme: 'https',
      domain: 'app.example',
      address,
      statement: 'Water the plants.',
      uri: 'https://app.example/login',
      version: '1',
      chainId: '31',
      nonce: '32891756',
      issuedAt: '2026-01-02T16:25:24Z',
      expirationTime: null,
      notBefore: null,
      requestId: '7',
      resources: ['https://app.example/a', 'ipfs://b'],
    },
  });
});

test('EIP-4361 (9) version 1, a nonce of eight characters, RFC 3339 times and a one-line statement are required', async () => {
  const broken: [string, string][] = [
    ['Version: 1', 'Version: 2'],
    ['32891756', '3289175'],
    ['2026-01-02T16:25:24Z', '2026-02-30T16:25:24Z'],
    ['2026-01-02T16:25:24Z', '2026-01-02 16:25:24'],
    ['Water the plants.', 'Water\nthe plants.'],
  ];
  for (const [good, bad] of broken) {
    await ask(message().replace(good, bad));
    expect(codes(), bad).toEqual(['sign-in-malformed']);
  }
});

test('EIP-4361 (10), broken on purpose: the signer’s address is accepted in any spelling', async () => {
  for (const spelt of [address, address.toLowerCase(), checksumAddress(address, 31)]) {
    await ask(message({ address: spelt }));
    expect(codes()).toEqual([]);
    expect(shown().signIn?.address).toBe(spelt);
  }
});

test('EIP-4361 (11) another account, an expired or a future time are refused; another chain is a warning', async () => {
  await isRefused(message({ address: owners[1]?.address ?? '' }), 'address');
  for (const chainId of ['30', '1']) {
    await ask(message({ chainId }));
    expect(codes()).toEqual(['sign-in-other-chain']);
  }
  await isRefused(message({ lines: '\nExpiration Time: 2026-01-02T16:25:25Z' }), 'expired');
  await isRefused(message({ lines: '\nNot Before: 2099-01-01T00:00:00Z' }), 'Not Before');
});
