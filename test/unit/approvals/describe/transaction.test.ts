import { describe, expect, test } from 'vitest';
import { decodeCall, withToken as labelled, type TokenLabel } from '../../../../src/approvals/decode-call.js';
import { transactionWarnings } from '../../../../src/approvals/describe/transaction.js';
import { checksumAddress } from '../../../../src/rpc/address.js';
import type { Hex } from '../../../../src/rpc/schema.js';

const to = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const hash: Hex = `0x${'12'.repeat(32)}`;
const approveAll: Hex = `0x095ea7b3${'11'.repeat(20).padStart(64, '0')}${'f'.repeat(64)}`;

const transaction = {
  to,
  value: '0x0',
  data: '0x',
  gas: '0x5208',
  gasPrice: '0x3e252e0',
  nonce: '0x0',
} as const;
const calm = { chainId: 31, transaction, call: null, fee: '0x1', total: '0x1' } as const;
const withData = (data: Hex) => ({
  ...calm,
  transaction: { ...transaction, data },
  call: decodeCall(to, data),
});

const hexWord = (value: bigint) => value.toString(16).padStart(64, '0');
const transferOf = (amount: bigint): Hex =>
  `0xa9059cbb${'11'.repeat(20).padStart(64, '0')}${hexWord(amount)}`;
const withToken = (facts: ReturnType<typeof withData>, label: Omit<TokenLabel, 'address'>) => ({
  ...facts,
  call: facts.call && labelled(facts.call, { address: to, ...label }),
});
const approval = (amount: bigint, label: Omit<TokenLabel, 'address'>) =>
  withToken(withData(`0x095ea7b3${'11'.repeat(20).padStart(64, '0')}${hexWord(amount)}`), label);

describe('transactionWarnings', () => {
  test('a calm transaction has no warnings', () => {
    expect(
      transactionWarnings({
        ...calm,
        balance: '0x2',
        recipient: checksumAddress(to, 31),
        simulation: 'succeeds',
        recipientHasCode: false,
        usualGasPrice: transaction.gasPrice,
      }),
    ).toEqual([]);
  });

  const forAll = `0xa22cb465${'11'.repeat(20).padStart(64, '0')}`;
  test.each<[string, transactionWarnings.Facts, unknown]>([
    [
      'a revert',
      { ...calm, simulation: { reason: 'paused' } },
      [{ code: 'simulation-reverts', severity: 'danger', detail: 'paused' }],
    ],
    [
      'a revert without a reason',
      { ...calm, simulation: { reason: '' } },
      [{ code: 'simulation-reverts', severity: 'danger' }],
    ],
    [
      'no dry run',
      { ...calm, simulation: 'unavailable' },
      [{ code: 'simulation-unavailable', severity: 'caution' }],
    ],
    [
      'a deployment',
      { ...calm, transaction: { ...transaction, to: null, data: '0x6001' } },
      [{ code: 'contract-creation', severity: 'notice' }],
    ],
    [
      'a deployment that takes coins along',
      { ...calm, transaction: { ...transaction, to: null, data: '0x6001', value: '0x1' } },
      [{ code: 'contract-creation', severity: 'caution' }],
    ],
    [
      'a deployment of nothing',
      { ...calm, transaction: { ...transaction, to: null } },
      [{ code: 'contract-creation', severity: 'danger' }],
    ],
    ['an unknown call', withData('0x12345678'), [{ code: 'unknown-call', severity: 'caution' }]],
    [
      'a token call in another encoding',
      withData(`${approveAll}00`),
      [{ code: 'unknown-call', severity: 'danger' }],
    ],
    ['an unlimited approval', withData(approveAll), [{ code: 'unlimited-approval', severity: 'danger' }]],
    [
      'an approval of 10^30 base units, whatever decimals the token claims',
      approval(10n ** 30n, { decimals: 36 }),
      [
        { code: 'unlimited-approval', severity: 'danger' },
        { code: 'unusual-decimals', severity: 'caution', detail: '36' },
      ],
    ],
    [
      'an approval of the whole supply',
      approval(10n ** 12n, { decimals: 6, supply: `${10n ** 12n}`, balance: '5' }),
      [{ code: 'unlimited-approval', severity: 'danger' }],
    ],
    [
      'an approval of all that the owner has',
      approval(500n, { decimals: 0, supply: '1000', balance: '500' }),
      [{ code: 'whole-balance', severity: 'caution' }],
    ],
    ['an approval of less than that', approval(499n, { decimals: 0, supply: '1000', balance: '500' }), []],
    ['an approval by who has none', approval(499n, { decimals: 0, balance: '0' }), []],
    [
      'an approval of 10^30 of a token of which there is more',
      approval(10n ** 30n, { decimals: 18, supply: `${10n ** 33n}`, balance: '1' }),
      [{ code: 'whole-balance', severity: 'caution' }],
    ],
    [
      'a transfer that reads as nothing',
      withToken(withData(transferOf(10n ** 12n)), { decimals: 18 }),
      [{ code: 'unusual-decimals', severity: 'caution', detail: '18' }],
    ],
    [
      'the same of a token that the wallet knows',
      withToken(withData(transferOf(10n ** 12n)), { decimals: 18, known: true }),
      [],
    ],
    [
      'approval for all',
      withData(`${forAll}${'1'.padStart(64, '0')}` as Hex),
      [{ code: 'approval-for-all', severity: 'danger' }],
    ],
    ['its revocation', withData(`${forAll}${'0'.repeat(64)}` as Hex), []],
    [
      'calldata to nobody',
      { ...withData(approveAll), recipientHasCode: false },
      [
        { code: 'unlimited-approval', severity: 'danger' },
        { code: 'no-code-at-recipient', severity: 'caution' },
      ],
    ],
    ['a high price', { ...calm, usualGasPrice: '0xc00000' }, [{ code: 'high-fee', severity: 'caution' }]],
    ['an extreme price', { ...calm, usualGasPrice: '0x100000' }, [{ code: 'high-fee', severity: 'danger' }]],
    ['a high fee', { ...calm, fee: '0x38d7ea4c68000' }, [{ code: 'high-fee', severity: 'caution' }]],
    ['an extreme fee', { ...calm, fee: '0x2386f26fc10000' }, [{ code: 'high-fee', severity: 'danger' }]],
    ['too little', { ...calm, balance: '0x0' }, [{ code: 'insufficient-funds', severity: 'danger' }]],
    [
      'the other network',
      { ...calm, recipient: checksumAddress(to, 30) },
      [{ code: 'other-network-checksum', severity: 'caution' }],
    ],
    ['a plain EIP-55 spelling', { ...calm, recipient: checksumAddress(to) }, []],
    [
      'a replacement',
      { ...calm, replaces: hash },
      [{ code: 'replaces-transaction', severity: 'notice', detail: hash }],
    ],
  ])('%s', (_, facts, expected) => {
    expect(transactionWarnings(facts)).toEqual(expected);
  });

  test('the gravest comes first', () => {
    const warnings = transactionWarnings({
      ...withData('0x12345678'),
      replaces: hash,
      simulation: { reason: 'no' },
    });
    expect(warnings.map(({ severity }) => severity)).toEqual(['danger', 'caution', 'notice']);
  });
});

describe('facts about the recipient', () => {
  const payment = { ...calm, transaction: { ...transaction, value: '0x1' } } as const;
  const known = `0x${'11'.repeat(20)}` as const;
  const bridge = '0x0000000000000000000000000000000001000006';
  const toBridge = (value: bigint, chainId = 30) => ({
    ...{ ...calm, chainId },
    transaction: { ...transaction, to: bridge, value: `0x${value.toString(16)}` } as const,
  });
  const fourThousandths = 4n * 10n ** 15n;

  test.each<[string, transactionWarnings.Facts, unknown]>([
    [
      'a look-alike',
      { ...payment, payee: { address: to, resembles: known } },
      [{ code: 'resembles-known', severity: 'danger', detail: known }],
    ],
    [
      'a first payment',
      { ...payment, payee: { address: to, firstTime: true } },
      [{ code: 'first-time-recipient', severity: 'notice' }],
    ],
    [
      'a first payment of tokens',
      { ...withData(transferOf(5n)), payee: { address: to, firstTime: true } },
      [{ code: 'first-time-recipient', severity: 'notice' }],
    ],
    [
      'a first payment to a known contract',
      { ...payment, payee: { address: to, known: 'RIF', firstTime: true } },
      [],
    ],
    ['a first call without a payment', { ...calm, payee: { address: to, firstTime: true } }, []],
    [
      'a first call that was decoded',
      { ...withData('0x12345678'), isDescribed: true, payee: { address: to, firstTime: true } },
      [],
    ],
    [
      'a token that imitates another',
      withToken(withData(transferOf(5n)), { symbol: 'RIF', imitates: 'RIF' }),
      [{ code: 'imitates-token', severity: 'danger', detail: 'RIF' }],
    ],
    ['enough for the bridge', toBridge(fourThousandths), [{ code: 'bridge-payment', severity: 'caution' }]],
    [
      'too little for the bridge',
      toBridge(fourThousandths - 1n),
      [{ code: 'bridge-minimum', severity: 'danger', detail: '0.004' }],
    ],
    [
      'enough for the bridge of the testnet',
      toBridge(25n * 10n ** 14n, 31),
      [{ code: 'bridge-payment', severity: 'caution' }],
    ],
    [
      'too little for the bridge of the testnet',
      toBridge(25n * 10n ** 14n - 1n, 31),
      [{ code: 'bridge-minimum', severity: 'danger', detail: '0.0025' }],
    ],
    [
      'too little for the bridge of a local chain',
      toBridge(1n, 33),
      [{ code: 'bridge-minimum', severity: 'danger', detail: '0.0025' }],
    ],
    [
      'a call of the bridge that does the same as a payment',
      {
        ...toBridge(fourThousandths),
        transaction: { ...toBridge(fourThousandths).transaction, data: '0x80af2871' },
      },
      [{ code: 'bridge-payment', severity: 'caution' }],
    ],
    [
      'a call of a contract that the node itself is',
      {
        ...withData('0x14c89c01'),
        recipientHasCode: false,
        transaction: { ...withData('0x14c89c01').transaction, to: bridge },
        isDescribed: true,
      },
      [],
    ],
    [
      'a function that is not known, which gets the address of the bridge',
      {
        ...withData(`0x12345678${'0'.repeat(64)}${bridge.slice(2).padStart(64, '0')}`),
        tree: { effect: 'unknown' } as never,
      },
      [{ code: 'bridge-payee', severity: 'danger' }],
    ],
    [
      'a payment to the bridge near its fee, with less than a satoshi on top',
      {
        ...toBridge(fourThousandths + 1n),
        pegOut: { minimum: '400000', fee: '399999', confirmations: 4_000, verdict: 'near-fee' },
      },
      [
        { code: 'bridge-payment', severity: 'caution' },
        { code: 'bridge-fee', severity: 'caution' },
        { code: 'bridge-dust', severity: 'notice' },
      ],
    ],
    ['the same address on another chain', toBridge(fourThousandths, 1), []],
  ])('%s', (_name, facts, warnings) => {
    expect(transactionWarnings(facts)).toEqual(warnings);
  });
});
