import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DecodedCall } from '../../../src/approvals/decode-call.js';
import type { CallsQuestion, TransactionQuestion } from '../../../src/approvals/question.js';
import { readLabels } from '../../../src/approvals/token-label.js';
import type { Address } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { values } from '../../support/keys.js';
import { createRig, type Rig } from '../../support/rig.js';
import { error, result, type Script } from '../../support/scripted-service.js';

hastenKdfOfFile();

/** What a token's contract says of itself, or a service in its name, and what the person is shown of it. */

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ keys: 'unlocked' });
});
afterAll(() => rig?.stop());
beforeEach(() => rig.reset());

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const text = (value: string) =>
  `0x${word(32n)}${word(BigInt(value.length))}${Buffer.from(value).toString('hex').padEnd(64, '0')}`;

/** The token answers by selector; what is left out reverts. */
function claim(claims: { symbol?: string; decimals?: bigint; supply?: bigint; balance?: bigint }): void {
  const answers: Record<string, string | undefined> = {
    '0x95d89b41': claims.symbol === undefined ? undefined : text(claims.symbol),
    '0x313ce567': claims.decimals === undefined ? undefined : `0x${word(claims.decimals)}`,
    '0x18160ddd': claims.supply === undefined ? undefined : `0x${word(claims.supply)}`,
    '0x70a08231': claims.balance === undefined ? undefined : `0x${word(claims.balance)}`,
  };
  const answer: Script = (response, one) => {
    const [{ data = '0x' }] = one.params as [{ data?: string }];
    const selector = data.slice(0, 10);
    if (!Object.hasOwn(answers, selector)) return result('0x')(response, one);
    const said = answers[selector];
    return (said ? result(said) : error(-32015, 'VM Exception while processing transaction: revert'))(
      response,
      one,
    );
  };
  rig.node.override('eth_call', answer);
}

const approve = (amount: bigint) =>
  `0x095ea7b3${values.$OTHER.slice(2).toLowerCase().padStart(64, '0')}${word(amount)}`;

async function ask(data: string, to: string = values.$X): Promise<TransactionQuestion> {
  await rig.wallet.provider.request({
    method: 'eth_sendTransaction',
    params: [{ from: values.$A0 as `0x${string}`, to: to as `0x${string}`, data: data as `0x${string}` }],
  });
  return rig.questions.at(-1) as TransactionQuestion;
}

const codes = ({ warnings }: TransactionQuestion) => warnings.map(({ code }) => code);
const allowanceOf = ({ call }: TransactionQuestion) => call as Extract<DecodedCall, { unlimited: boolean }>;

describe('an approval', () => {
  test('an approval of 10^30 base units with a claimed 36 decimals is unlimited, and its decimals are doubted', async () => {
    claim({ symbol: 'USDT', decimals: 36n });
    const question = await ask(approve(10n ** 30n));
    expect(allowanceOf(question)).toMatchObject({ unlimited: true, token: { decimals: 36, symbol: 'USDT' } });
    expect(codes(question)).toEqual(expect.arrayContaining(['unlimited-approval', 'unusual-decimals']));
  });

  test('an approval of the whole supply is unlimited, of the whole balance a caution, whatever the decimals', async () => {
    for (const decimals of [0n, 6n, 18n, 36n]) {
      claim({ decimals, supply: 10n ** 12n, balance: 10n ** 9n });
      expect(codes(await ask(approve(10n ** 12n)))).toContain('unlimited-approval');
      const all = await ask(approve(10n ** 9n));
      expect(codes(all)).toContain('whole-balance');
      expect(allowanceOf(all)).toMatchObject({
        unlimited: false,
        token: { supply: '1000000000000', balance: '1000000000' },
      });
      expect(codes(await ask(approve(10n ** 9n - 1n)))).not.toContain('whole-balance');
    }
  });

  test('an approval in a batch is judged in the same way', async () => {
    claim({ decimals: 18n, supply: 10n ** 12n, balance: 10n ** 9n });
    const calls = [approve(10n ** 12n), approve(5n)].map((data) => ({ to: values.$X, data }));
    await rig.wallet.provider.request({
      method: 'wallet_sendCalls',
      params: [{ version: '2.0.0', chainId: '0x1f', atomicRequired: false, calls }] as never,
    });
    const { warnings, calls: shown } = rig.questions.at(-1) as unknown as CallsQuestion;
    expect(shown.map(({ call }) => (call as Extract<DecodedCall, { unlimited: boolean }>).unlimited)).toEqual(
      [true, false],
    );
    expect(warnings).toContainEqual({ code: 'unlimited-approval', severity: 'danger', detail: '#1' });
  });
});

test('a contract that answers nothing is shown in base units, and 10^30 of them are unlimited', async () => {
  claim({});
  const question = await ask(approve(10n ** 30n));
  expect(allowanceOf(question)).toMatchObject({
    unlimited: true,
    token: { address: values.$X.toLowerCase() },
  });
  expect(allowanceOf(question).token).toEqual({ address: values.$X.toLowerCase() });
});

test('a transfer reads neither supply nor balance', async () => {
  claim({ symbol: 'TKN', decimals: 18n, supply: 5n, balance: 5n });
  const { call } = await ask(
    `0xa9059cbb${values.$OTHER.slice(2).toLowerCase().padStart(64, '0')}${word(10n ** 18n)}`,
  );
  expect(call?.token).toEqual({ address: values.$X.toLowerCase(), symbol: 'TKN', decimals: 18 });
});

test('a token with the symbol of a known one at another address is a danger, in permits too', async () => {
  claim({ symbol: 'usdrif', decimals: 18n, supply: 10n ** 27n, balance: 5n });
  const question = await ask(approve(5n));
  expect(question.call?.token.imitates).toBe('USDRIF');
  const warning = { code: 'imitates-token', severity: 'danger', detail: 'USDRIF' };
  expect(question.warnings).toContainEqual(warning);

  const typed = {
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    domain: { name: 'RIF US Dollar', version: '1', chainId: 31, verifyingContract: values.$X },
    message: { owner: values.$A0, spender: values.$OTHER, value: '5', nonce: '0', deadline: '1793638800' },
  };
  await rig.wallet.provider.request({ method: 'eth_signTypedData_v4', params: [values.$A0, typed] } as never);
  expect(rig.questions.at(-1)?.warnings).toContainEqual(warning);
});

describe('a token that the wallet knows', () => {
  const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';

  test('is labelled from the wallet’s own list, whatever the service replies', async () => {
    claim({ symbol: 'USDT', decimals: 36n, supply: 10n ** 27n, balance: 10n ** 20n });
    const question = await ask(approve(10n ** 19n), rif);
    expect(question.call?.token).toMatchObject({ symbol: 'tRIF', decimals: 18, known: true });
    expect(codes(question)).not.toContain('unusual-decimals');
    const asked = rig.node.requests.filter(({ method }) => method === 'eth_call').map(({ body }) => body);
    expect(asked.some((body) => body.includes('0x313ce567'))).toBe(false);
  });
});

const silent = {
  network: { chainId: 31, currency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 } },
  request: async () => '0x',
} as unknown as Service;

test('a known token has its label behind any number of others', async () => {
  const rif = '0x19f64674d8a5b4e652319f5e239efd3bc969a1fe';
  const others = Array.from({ length: 20 }, (_, i): Address => `0x${String(i + 10).repeat(20)}`);
  const labels = await readLabels(silent, [...others, rif], undefined);
  expect(labels.get(rif)).toMatchObject({ symbol: 'tRIF', decimals: 18, known: true });
  expect(labels.size).toBe(6);
  expect(labels.has(others[0] as Address)).toBe(true);
});
