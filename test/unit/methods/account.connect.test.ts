import { createWalletClient, custom, verifyMessage } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { rootstockTestnet } from 'viem/chains';
import { erc7846Actions } from 'viem/experimental/erc7846';
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectQuestion } from '../../../src/approvals/question.js';
import type { Answer, Question } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners, values } from '../../support/keys.js';
import { later, openPage, type Page, withKeys } from '../../support/page.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** ERC-7846: accounts, and a sign-in with them, by one question. No service is asked. */

const networks = [
  { chainId: 31, url: 'http://127.0.0.1:1/key' },
  { chainId: 30, url: 'http://127.0.0.1:1/key' },
];
const watched = values.$X;
let page: Page;

const open = (options: Partial<Parameters<typeof openPage>[0]> = {}) =>
  openPage({ networks, session: 'none', ...options });

beforeEach(async () => {
  page = await withKeys(open());
  await page.request('wallet_disconnect');
});
afterEach(() => page.close());

const nonce = 'c0ffee123';
const signIn = (fields: object = {}) => [
  { version: '1', capabilities: { signInWithEthereum: { nonce, chainId: '0x1f', ...fields } } },
];

interface Connected {
  readonly accounts: readonly {
    readonly address: `0x${string}`;
    readonly capabilities: {
      readonly signInWithEthereum?: { readonly message: string; readonly signature: `0x${string}` };
    };
  }[];
}
const connect = async (params: unknown = signIn(), at = page) =>
  (await at.request('wallet_connect', params)) as Connected;
const none = { message: '', signature: '0x' } as const;
/** Returns the sign-in of an account; an empty one where it has not signed. */
const signedBy = (account: Connected['accounts'][number] | undefined) =>
  account?.capabilities.signInWithEthereum ?? none;
const shared = (at = page) => at.request('eth_accounts');
/** The questions from now on. */
function asking(at = page): () => readonly Question[] {
  const { length } = at.questions;
  return () => at.questions.slice(length);
}
const choose =
  (...accounts: readonly string[]) =>
  (): Answer => ({ approved: true, accounts: accounts as Answer extends { accounts?: infer A } ? A : never });

describe('without a sign-in', () => {
  test.each([['1'], ['1.0']])('version %s asks as eth_requestAccounts does, once', async (version) => {
    const asked = asking();
    const account = { address: values.$A0, capabilities: {} };
    expect(await connect([{ version }])).toEqual({ accounts: [account] });
    expect(await connect([{ version, capabilities: {} }])).toEqual({ accounts: [account] });
    expect(asked()).toMatchObject([{ kind: 'connect', locked: false, selected: [values.$A0] }]);
    expect(asked()[0]).not.toHaveProperty('signIn');
  });

  test('capabilities that are not known are ignored', async () => {
    const capabilities = { addSubAccount: { optional: false }, constructor: {}, signInWithEthereum: null };
    expect(await connect([{ version: '1', capabilities }])).toEqual({
      accounts: [{ address: values.$A0, capabilities: {} }],
    });
  });

  test('each shared account is in the reply', async () => {
    page.decide(choose(values.$A1, values.$A0));
    expect(await connect([{ version: '1' }])).toEqual({
      accounts: [values.$A1, values.$A0].map((address) => ({ address, capabilities: {} })),
    });
  });

  test('it shares the question of eth_requestAccounts', async () => {
    const asked = asking();
    const both = await Promise.all([connect([{ version: '1' }]), page.request('eth_requestAccounts')]);
    expect(both).toEqual([{ accounts: [{ address: values.$A0, capabilities: {} }] }, [values.$A0]]);
    expect(asked()).toHaveLength(1);
  });

  test.each<[string, unknown, string]>([
    ['nothing', [], 'params[0]'],
    ['no version', [{}], 'params[0].version'],
    ['another version', [{ version: '2' }], 'params[0].version'],
    ['a number', [{ version: 1 }], 'params[0].version'],
    ['an unknown member', [{ version: '1', capabilites: {} }], 'capabilites'],
    ['a list of capabilities', [{ version: '1', capabilities: [] }], 'params[0].capabilities'],
    ['text', ['1'], 'params[0]'],
    ['two params', [{ version: '1' }, {}], 'params'],
  ])('%s is refused, and nothing is asked', async (_, params, name) => {
    const asked = asking();
    expect(await page.refusal('wallet_connect', params)).toMatchObject({
      code: -32602,
      message: expect.stringContaining(name),
    });
    expect(asked()).toEqual([]);
  });
});

describe('with a sign-in', () => {
  test('one question; the reply is a message of this site that the account has signed', async () => {
    const asked = asking();
    const { accounts } = await connect(signIn({ statement: 'Water the plants.' }));
    expect(asked()).toHaveLength(1);
    expect(accounts).toEqual([
      {
        address: values.$A0,
        capabilities: { signInWithEthereum: { message: expect.any(String), signature: expect.any(String) } },
      },
    ]);
    const { message, signature } = signedBy(accounts[0]);
    const address = owners[0]?.address as `0x${string}`;
    expect(await verifyMessage({ address, message, signature })).toBe(true);
    const parsed = parseSiweMessage(message);
    expect(parsed).toMatchObject({
      ...{ address, chainId: 31, domain: 'app.example', scheme: 'https', nonce },
      ...{ statement: 'Water the plants.', uri: 'https://app.example', version: '1' },
    });
    expect(
      validateSiweMessage({ message: parsed, address, domain: 'app.example', nonce, scheme: 'https' }),
    ).toBe(true);
    expect(await shared()).toEqual([values.$A0]);
  });

  test('the question has all fields, and the text that each account would sign', async () => {
    const asked = asking();
    const { accounts } = await connect(signIn({ resources: ['https://app.example/terms'], requestId: '7' }));
    const { signIn: shown, ...question } = asked()[0] as ConnectQuestion;
    expect(question).toMatchObject({
      kind: 'connect',
      origin: 'https://app.example',
      warnings: [],
      locked: false,
    });
    const { messages, ...fields } = shown as NonNullable<typeof shown>;
    expect(fields).toMatchObject({
      ...{ scheme: 'https', domain: 'app.example', uri: 'https://app.example', version: '1', chainId: '31' },
      ...{ nonce, statement: null, requestId: '7', resources: ['https://app.example/terms'] },
    });
    expect(messages.map(({ address }) => address)).toEqual([values.$A0, values.$A1]);
    const signed = accounts[0]?.capabilities.signInWithEthereum?.message;
    expect(messages[0]?.text).toBe(signed);
    expect(messages[1]?.text).toBe(signed?.replace(owners[0]?.address ?? '', owners[1]?.address ?? ''));
  });

  test('the first chosen account signs, and only it', async () => {
    page.decide(choose(values.$A1, values.$A0));
    const { accounts } = await connect();
    expect(accounts.map(({ address, capabilities }) => [address, Object.keys(capabilities)])).toEqual([
      [values.$A1, ['signInWithEthereum']],
      [values.$A0, []],
    ]);
    const { message, signature } = signedBy(accounts[0]);
    const address = owners[1]?.address as `0x${string}`;
    expect(await verifyMessage({ address, message, signature })).toBe(true);
    expect(await shared()).toEqual([values.$A1, values.$A0]);
  });

  test.each<[string, object, string]>([
    ['another domain', { domain: 'bank.example' }, 'domain'],
    ['another URI', { uri: 'https://app.example.evil' }, 'uri'],
    ['a short nonce', { nonce: 'abc' }, 'nonce'],
    ['a past expiry', { expirationTime: '2020-01-01T00:00:00Z' }, 'expirationTime'],
    ['a later beginning', { notBefore: '9999-01-01T00:00:00Z' }, 'notBefore'],
    ['more than 8,192 characters', { statement: 'a'.repeat(8_100) }, 'signInWithEthereum'],
    ['a misspelt member', { expiration: '2020-01-01T00:00:00Z' }, 'expiration'],
  ])('%s is refused by its name, and nothing is asked', async (_, fields, member) => {
    const asked = asking();
    expect(await page.refusal('wallet_connect', signIn(fields))).toMatchObject({
      code: -32602,
      message: expect.stringContaining(member),
    });
    expect([asked(), await shared()]).toEqual([[], []]);
  });

  test('a chain that the wallet does not know is 4902, another known one a warning', async () => {
    const asked = asking();
    expect(await page.refusal('wallet_connect', signIn({ chainId: '0x1' }))).toMatchObject({ code: 4902 });
    expect(asked()).toEqual([]);
    await connect(signIn({ chainId: '0x1e' }));
    expect(asked()[0]?.warnings).toEqual([
      { code: 'sign-in-other-chain', severity: 'caution', detail: '30' },
    ]);
  });

  test('rights in its resources are the dangers that they are in any sign-in', async () => {
    const asked = asking();
    const recap = btoa(JSON.stringify({ att: { 'urn:a:b': { 'msg/send': [{}] } }, prf: [] })).replaceAll(
      '=',
      '',
    );
    await connect(signIn({ resources: [`urn:recap:${recap}`, 'did:key:z6Mk'] }));
    expect(asked()[0]?.warnings.map(({ code, severity }) => [code, severity])).toEqual([
      ['sign-in-rights', 'danger'],
      ['sign-in-resource', 'caution'],
    ]);
    expect((asked()[0] as ConnectQuestion).signIn?.rights).toMatchObject([{ action: 'msg/send' }]);
  });

  test('refused: 4001, and nothing is granted', async () => {
    page.decide(() => false);
    expect(await page.refusal('wallet_connect', signIn())).toMatchObject({ code: 4001 });
    expect(await shared()).toEqual([]);
    expect(page.payloads('accountsChanged').at(-1)).toEqual([]);
  });

  test.each<[string, readonly unknown[] | string]>([
    ['no account', []],
    ['an account that was not offered', [values.$OTHER]],
    ['no list', values.$A0],
  ])('an answer with %s is a refusal', async (_, accounts) => {
    page.decide(() => ({ approved: true, accounts }) as unknown as Answer);
    expect(await page.refusal('wallet_connect', signIn())).toMatchObject({ code: 4001 });
    expect(await shared()).toEqual([]);
  });

  test('while locked, the same question unlocks', async () => {
    await page.wallet.lock();
    const asked = asking();
    const { accounts } = await connect();
    expect(asked()).toMatchObject([{ kind: 'connect', locked: true }]);
    expect(accounts[0]?.capabilities.signInWithEthereum?.signature).toMatch(/^0x[0-9a-f]{130}$/);
    expect(await page.wallet.vaultState()).toBe('unlocked');
  });

  test('a connected site is asked about again, with its accounts selected; the same choice leaves its permission', async () => {
    page.decide(choose(values.$A1));
    await connect([{ version: '1' }]);
    const [before] = (await page.request('wallet_getPermissions')) as object[];
    page.decide(() => true);
    const asked = asking();
    const { accounts } = await connect();
    expect(asked()).toMatchObject([{ kind: 'connect', selected: [values.$A1] }]);
    expect(accounts.map(({ address }) => address)).toEqual([values.$A1]);
    expect(await page.request('wallet_getPermissions')).toEqual([before]);
  });

  test('a refusal leaves a connected site connected', async () => {
    await connect([{ version: '1' }]);
    page.decide(() => false);
    expect(await page.refusal('wallet_connect', signIn())).toMatchObject({ code: 4001 });
    expect(await shared()).toEqual([values.$A0]);
  });

  test('equal requests share one question, others wait for their turn', async () => {
    const asked = asking();
    const [one, two, three] = await Promise.all([
      connect(),
      connect(),
      connect(signIn({ nonce: 'another123' })),
    ]);
    expect(one).toEqual(two);
    expect(asked()).toHaveLength(2);
    const signed = (given: Connected | undefined) =>
      given?.accounts[0]?.capabilities.signInWithEthereum?.message;
    expect([signed(one), signed(three)].map((text) => parseSiweMessage(text ?? '').nonce)).toEqual([
      nonce,
      'another123',
    ]);
  });

  test.each(['remove', 'hide'] as const)(
    'an account that goes while it is asked about (%s) signs nothing for the site, which gets no account',
    async (end) => {
      const { address } = await page.wallet.importPrivateKey(generatePrivateKey());
      const answer = later();
      page.decide(async () => ({ approved: await answer.given, accounts: [address, values.$A0] }));
      const asked = asking();
      const refused = page.refusal('wallet_connect', signIn());
      await until(() => asked().length === 1);
      if (end === 'hide') await page.wallet.hide(address, true);
      else await page.wallet.remove(address);
      answer.answer(true);
      expect(await refused).toMatchObject({ code: 4100 });
      expect(await shared()).toEqual([]);
    },
  );
});

describe('accounts to look at', () => {
  beforeEach(async () => {
    await page.wallet.watchAccount(watched, 'Treasury');
  });

  test('are shared, and never sign', async () => {
    const asked = asking();
    page.decide(choose(watched, values.$A0));
    const { accounts } = await connect();
    expect((asked()[0] as ConnectQuestion).signIn?.messages.map(({ address }) => address)).toEqual([
      values.$A0,
      values.$A1,
    ]);
    expect(accounts.map(({ address, capabilities }) => [address, Object.keys(capabilities)])).toEqual([
      [watched, []],
      [values.$A0, ['signInWithEthereum']],
    ]);
  });

  test('do not suffice', async () => {
    page.decide(choose(watched));
    expect(await page.refusal('wallet_connect', signIn())).toMatchObject({ code: 4001 });
    expect(await shared()).toEqual([]);
  });

  test('an account with a key is selected beside those that are shared already', async () => {
    page.decide(choose(watched));
    expect(await connect([{ version: '1' }])).toEqual({ accounts: [{ address: watched, capabilities: {} }] });
    page.decide(() => true);
    const asked = asking();
    expect((await connect()).accounts.map(({ address }) => address)).toEqual([watched, values.$A0]);
    expect(asked()).toMatchObject([{ selected: [watched, values.$A0] }]);
  });
});

test('an owner who only wants warnings gets them, and a lie about the site is still refused', async () => {
  const warned = await withKeys(open({ signIn: 'warn' }));
  const asked = asking(warned);
  await connect(signIn({ expirationTime: '2020-01-01T00:00:00Z' }), warned);
  expect(asked()[0]?.warnings).toMatchObject([{ code: 'sign-in-expired', severity: 'danger' }]);
  expect(await warned.refusal('wallet_connect', signIn({ domain: 'bank.example' }))).toMatchObject({
    code: -32602,
  });
  warned.close();
});

test('a page over http from another machine is refused, one from this machine is not', async () => {
  const remote = open({ origin: 'http://192.0.2.1', session: 'accounts' });
  expect(await remote.refusal('wallet_connect', signIn())).toMatchObject({
    code: -32602,
    message: expect.stringContaining('scheme'),
  });
  remote.close();
  const local = await withKeys(open({ origin: 'http://localhost:3000' }));
  const { accounts } = await connect(signIn(), local);
  expect(accounts[0]?.capabilities.signInWithEthereum?.message).toMatch(/^http:\/\/localhost:3000 wants/);
  local.close();
});

describe('wallet_disconnect', () => {
  test.each([[undefined], [[]]])('takes %j, answers null and takes the accounts back', async (params) => {
    await connect([{ version: '1' }]);
    expect(await page.request('wallet_disconnect', params)).toBeNull();
    expect(await shared()).toEqual([]);
    expect(await page.request('wallet_getPermissions')).toEqual([]);
    expect(await page.request('wallet_disconnect', params)).toBeNull();
  });

  test('params are refused', async () => {
    expect(await page.refusal('wallet_disconnect', [{}])).toMatchObject({ code: -32602 });
  });
});

test('viem connects, signs in and disconnects', async () => {
  const client = createWalletClient({ chain: rootstockTestnet, transport: custom(page.provider) }).extend(
    erc7846Actions(),
  );
  expect(await client.connect()).toEqual({ accounts: [{ address: values.$A0, capabilities: {} }] });
  const issuedAt = new Date('2026-11-03T00:00:00Z');
  const { accounts } = await client.connect({
    capabilities: { unstable_signInWithEthereum: { nonce, chainId: 31, issuedAt } },
  });
  const [account] = accounts;
  const { message, signature } = account?.capabilities?.unstable_signInWithEthereum ?? none;
  expect(parseSiweMessage(message)).toMatchObject({ nonce, chainId: 31, issuedAt });
  expect(await verifyMessage({ address: values.$A0, message, signature })).toBe(true);
  await client.disconnect();
  expect(await shared()).toEqual([]);
});
