import { recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TypedDataQuestion } from '../../../src/approvals/question.js';
import { createMemoryStorage } from '../../../src/index.js';
import { amountTokens } from '../../../src/signatures/readings.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners, values } from '../../support/keys.js';
import { openPage, withKeys } from '../../support/page.js';
import { createRig, type Rig, recordStorage } from '../../support/rig.js';
import { error, hang, result, type Script } from '../../support/scripted-service.js';
import * as forms from './forms.js';

hastenKdfOfFile();

/** Typed data as a person is asked about it: what it gives away, and numbers that can be read. */

const signer = owners[0]?.address.toLowerCase() as `0x${string}`;
const { other, second, soon, token, uint } = forms;

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ keys: 'unlocked' });
});
afterAll(() => rig?.stop());
beforeEach(() => rig.reset());

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const text = (value: string) =>
  `0x${word(32n)}${word(BigInt(value.length))}${Buffer.from(value).toString('hex').padEnd(64, '0')}`;

/** Tokens by address; every other contract reverts. */
function serve(
  tokens: Record<string, { symbol: string; decimals: bigint; supply?: bigint; balance?: bigint }>,
): void {
  const answer: Script = (response, one) => {
    const [{ to = '', data = '' }] = one.params as [{ to?: string; data?: string }];
    const held = tokens[to];
    const said =
      held &&
      {
        '0x95d89b41': text(held.symbol),
        '0x313ce567': `0x${word(held.decimals)}`,
        '0x18160ddd': held.supply === undefined ? undefined : `0x${word(held.supply)}`,
        '0x70a08231': held.balance === undefined ? undefined : `0x${word(held.balance)}`,
      }[data.slice(0, 10)];
    return (said ? result(said) : error(-32015, 'VM Exception while processing transaction: revert'))(
      response,
      one,
    );
  };
  rig.node.override('eth_call', answer);
}

async function ask(form: forms.Form, from: Rig = rig): Promise<TypedDataQuestion> {
  const signature = (await from.wallet.provider.request({
    method: 'eth_signTypedData_v4',
    params: [values.$A0 as `0x${string}`, JSON.stringify(form)],
  })) as `0x${string}`;
  // What is shown changes nothing of what is signed.
  expect(await recoverTypedDataAddress({ ...(form as never as object), signature } as never)).toBe(
    owners[0]?.address,
  );
  return from.questions.at(-1) as TypedDataQuestion;
}

const codes = ({ warnings }: TypedDataQuestion) =>
  warnings.map(({ code, severity }) => `${code} ${severity}`);
const readingOf = ({ fields }: TypedDataQuestion, path: string) =>
  fields.find((field) => field.path === path)?.reading;

const permit = (value: bigint, verifyingContract: string = token) =>
  forms.form(
    { Permit: 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline' },
    { owner: signer, spender: other, value: value.toString(), nonce: 0, deadline: soon },
    { chainId: 31, verifyingContract },
  );

describe('a permit', () => {
  test('a permit of 10^30 base units of a token that claims 36 decimals is unlimited, and its decimals are doubted', async () => {
    serve({ [token]: { symbol: 'USDT', decimals: 36n } });
    const question = await ask(permit(10n ** 30n));
    expect(question.permit).toMatchObject({
      amount: 'unlimited',
      units: `${10n ** 30n}`,
      label: { symbol: 'USDT', decimals: 36 },
    });
    expect(codes(question)).toEqual([
      'permit danger',
      'unlimited-approval danger',
      'unusual-decimals caution',
    ]);
  });

  test('is judged by the supply and the balance of its owner', async () => {
    // A token of its own: what another was asked and did not answer is not asked again at the same block.
    serve({ [second]: { symbol: 'TKN', decimals: 6n, supply: 10n ** 12n, balance: 10n ** 9n } });
    expect((await ask(permit(10n ** 12n, second))).permit?.amount).toBe('unlimited');
    const all = await ask(permit(10n ** 9n, second));
    expect([all.permit?.amount, codes(all)]).toEqual([
      `${10n ** 9n}`,
      ['permit danger', 'whole-balance caution'],
    ]);
    expect(codes(await ask(permit(10n ** 9n - 1n, second)))).toEqual(['permit danger']);
  });

  test.each([96, 128, 160, 256])('a permit of the greatest integer of %d bits is unlimited', async (bits) => {
    serve({ [token]: { symbol: 'TKN', decimals: 18n, supply: uint(255) } });
    expect((await ask(permit(uint(bits) - 1n))).permit?.amount).toBe('unlimited');
  });

  test('a permit of several tokens names each with its amount', async () => {
    serve({ [token]: { symbol: 'ONE', decimals: 6n }, [second]: { symbol: 'TWO', decimals: 18n } });
    const details = { expiration: soon, nonce: 0 };
    const question = await ask(
      forms.form(
        {
          PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
          PermitDetails: 'address token, uint160 amount, uint48 expiration, uint48 nonce',
        },
        {
          details: [
            { token, amount: 5_000_000, ...details },
            { token: second, amount: 7, ...details },
          ],
          spender: other,
          sigDeadline: soon,
        },
      ),
    );
    expect(question.permit?.items).toMatchObject([
      { token: { symbol: 'ONE', decimals: 6 }, amount: '5000000' },
      { token: { symbol: 'TWO', decimals: 18 }, amount: '7' },
    ]);
    expect(readingOf(question, 'details[0].amount')).toMatchObject({
      as: 'amount',
      token: { symbol: 'ONE' },
    });
    expect(readingOf(question, 'details[1].amount')).toMatchObject({
      as: 'amount',
      token: { symbol: 'TWO' },
    });
  });
});

/** A form whose owner is the signer. */
const ofSigner = (form: forms.Form) =>
  JSON.parse(JSON.stringify(form).replaceAll(forms.owner, signer)) as forms.Form;

describe('another right', () => {
  test.each<[string, forms.Form, string, readonly string[]]>([
    ['EIP-3009', forms.transferWithAuthorization, 'transfer', ['permit danger']],
    [
      'EIP-3009 to the bridge',
      {
        ...forms.transferWithAuthorization,
        message: {
          ...forms.transferWithAuthorization.message,
          to: '0x0000000000000000000000000000000001000006',
        },
      },
      'transfer',
      ['permit danger', 'bridge-payee danger'],
    ],
    ['EIP-3009, to be received', forms.receiveWithAuthorization, 'transfer', ['permit danger']],
    ['ERC-4494', forms.collectible, 'collectible', ['permit danger']],
    ['PermitForAll', forms.permitForAll(), 'collection', ['permit danger', 'approval-for-all danger']],
    ['its withdrawal', forms.permitForAll(false), 'collection', []],
    ['EIP-2771', forms.forwardRequest(), 'call', ['acts-as-you danger', 'unlimited-approval danger']],
    ['RIF Relay', forms.relayRequest, 'call', ['acts-as-you danger', 'unlimited-approval danger']],
    ['Biconomy', forms.metaTransaction, 'call', ['acts-as-you danger', 'unlimited-approval danger']],
    ['a Safe transaction', forms.safeTransaction(0), 'call', ['acts-as-you danger', 'unknown-call caution']],
    [
      'a Safe’s delegate call',
      forms.safeTransaction(1),
      'call',
      ['acts-as-you danger', 'delegate-call danger', 'unknown-call caution'],
    ],
    ['a Seaport order for nothing', forms.seaportGift, 'orders', ['permit danger', 'nothing-back danger']],
    ['an order of 0x', forms.zeroExOrder, 'orders', ['permit danger']],
    ...Object.entries(forms.unknownForms).map(
      ([name, [form]]): [string, forms.Form, string, readonly string[]] => [
        name,
        form,
        'other',
        // What a Safe signs holds for as long as it is not used.
        name === 'a message of a Safe'
          ? ['gives-right danger', 'endless-right danger']
          : ['gives-right danger'],
      ],
    ),
  ])('%s is described, with its warnings', async (_, form, kind, expected) => {
    const question = await ask(ofSigner(form));
    expect([question.right?.kind, codes(question), question.permit]).toEqual([kind, expected, null]);
  });

  test.each([
    ['order', forms.seaportOrder, 1, ['permit danger']],
    // One of its orders asks for nothing.
    ['bulk order', forms.seaportBulkOrder, 3, ['permit danger', 'nothing-back danger']],
  ])('a Seaport %s of the signer says what comes back', async (_, form, count, expected) => {
    const question = await ask(ofSigner(form));
    expect(question.right).toMatchObject({
      kind: 'orders',
      count,
      takes: [{ token: null }, {}].slice(0, count),
    });
    expect(codes(question)).toEqual(expected);
  });

  test.each(Object.entries(forms.harmless))('none in %s', async (_, form) => {
    const question = await ask(ofSigner(form));
    expect([question.right, codes(question)]).toEqual([null, []]);
  });

  test('an account of the wallet as the contract is a danger, in any form', async () => {
    for (const own of [values.$A0, owners[1]?.address.toLowerCase()]) {
      const form = forms.form(
        { Login: 'string statement' },
        { statement: 'Hello' },
        { name: 'App', chainId: 31, verifyingContract: own },
      );
      expect(codes(await ask(form))).toEqual(['own-account-contract danger']);
    }
  });
});

describe('numbers', () => {
  test('amounts are shown with the decimals that the token claims, times as times; the signed data is unchanged', async () => {
    serve({ [token]: { symbol: 'USDC', decimals: 6n } });
    const question = await ask(forms.transferWithAuthorization);
    expect(question.right).toMatchObject({ kind: 'transfer', token: { symbol: 'USDC', decimals: 6 } });
    expect(question.fields.find(({ path }) => path === 'value')).toEqual({
      path: 'value',
      type: 'uint256',
      value: '1500000',
      reading: { as: 'amount', token: { address: token, symbol: 'USDC', decimals: 6 } },
    });
    expect(readingOf(question, 'validBefore')).toEqual({ as: 'time' });
    // Zero is no date.
    expect(readingOf(question, 'validAfter')).toBeUndefined();
  });

  test('the label of a known token needs no request', async () => {
    const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
    const form = { ...forms.transferWithAuthorization, domain: { chainId: 31, verifyingContract: rif } };
    expect((await ask(form)).right).toMatchObject({ token: { symbol: 'tRIF', decimals: 18, known: true } });
    expect(rig.node.count('eth_call')).toBe(0);
  });

  test('without amounts no request is sent', async () => {
    for (const form of Object.values(forms.harmless)) await ask(form);
    expect(rig.node.requests).toEqual([]);
  });

  test('a service that does not answer holds the question up for two seconds at most', async () => {
    rig.node.override('eth_call', hang);
    const started = performance.now();
    const question = await ask(permit(5n));
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(question.permit).toMatchObject({ amount: '5', units: '5' });
    expect(question.permit).not.toHaveProperty('label');

    const page = await withKeys(
      openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }], session: 'none' }),
    );
    await page.request('eth_signTypedData_v4', [values.$A0, permit(5n)]);
    expect(page.questions.at(-1)).toMatchObject({ permit: { amount: '5' } });
    page.close();
  });

  test('an amount belongs to the token that is named like it', () => {
    const of = (fields: Record<string, string>) => {
      const list = Object.entries(fields).map(([path, type]) => ({
        path,
        type,
        value: type === 'address' ? path : '1',
      }));
      return Object.fromEntries(amountTokens(list, token));
    };
    expect(
      of({ tokenIn: 'address', amountIn: 'uint256', tokenOut: 'address', amountOut: 'uint256' }),
    ).toEqual({
      amountIn: 'tokenIn',
      amountOut: 'tokenOut',
    });
    expect(
      of({ sellToken: 'address', buyToken: 'address', sellAmount: 'uint256', feeAmount: 'uint256' }),
    ).toEqual({
      sellAmount: 'sellToken',
    });
    expect(of({ asset: 'address', amount: 'uint256' })).toEqual({ amount: 'asset' });
    expect(of({ value: 'uint256', spender: 'address' })).toEqual({ value: token });
    expect(of({ 'item.value': 'uint256' })).toEqual({});
    expect(of({ token: 'string', amount: 'uint256', amountText: 'string' })).toEqual({ amount: token });
  });
});

describe('the storage that a signature reads', () => {
  let reading: Rig;
  let reads: string[] = [];
  beforeAll(async () => {
    const inner = createMemoryStorage();
    reading = await createRig({
      keys: 'unlocked',
      storage: recordStorage({
        ...inner,
        get(store, key) {
          reads.push(store);
          return inner.get(store, key);
        },
        all(store, ...rest) {
          reads.push(store);
          return inner.all(store, ...rest);
        },
      }),
    });
    await ask(permit(1n), reading);
  });
  afterAll(() => reading?.stop());
  beforeEach(() => {
    reads = [];
  });

  test.each(Object.entries(forms.harmless))(
    'is the name of the stored vault for harmless typed data: %s',
    async (_, form) => {
      const signers = JSON.parse(JSON.stringify(form).replaceAll(forms.owner, signer)) as forms.Form;
      await ask(signers, reading);
      expect(reads).toEqual(['vault']);
    },
  );

  test('is the same for a message', async () => {
    await reading.wallet.provider.request({
      method: 'personal_sign',
      params: ['0x68656c6c6f', values.$A0 as `0x${string}`],
    });
    expect(reads).toEqual(['vault']);
  });

  test('has earlier payments too for a permit', async () => {
    await ask(permit(1n), reading);
    expect(new Set(reads)).toEqual(new Set(['vault', 'journal', 'archive']));
  });
});
