// @vitest-environment happy-dom
import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { withCallLabels } from '../../../../../src/approvals/call-tokens.js';
import type { TransactionQuestion, TypedDataQuestion } from '../../../../../src/approvals/question.js';
import { createCallReader } from '../../../../../src/approvals/read-calls.js';
import { checksumAddress } from '../../../../../src/rpc/address.js';
import type { Hex } from '../../../../../src/rpc/schema.js';
import { h } from '../../../../../src/ui/h.js';
import { english } from '../../../../support/english.js';
import * as questions from '../../../../support/questions.js';
import { rendered, viewOf } from '../../../../support/render.js';

/** What a person sees of calls that move tokens or carry out other calls. */

const { token, recipient } = questions;
const to = checksumAddress(recipient, 31);
const most = 2n ** 256n - 1n;
const encode = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never), args } as never);
const labels = new Map([[token as Hex, { address: token as Hex, symbol: 'USDC', decimals: 6 }]]);

function question(data: Hex, value: Hex = '0x0'): TransactionQuestion {
  const [tree] = withCallLabels(
    [createCallReader().read({ to: token, value: `${BigInt(value)}`, data })],
    labels,
  );
  if (!tree) throw new Error('no call');
  const call = tree.tokens.length === 1 && tree.inner.length === 0 ? (tree.tokens[0] ?? null) : null;
  return {
    ...questions.payment,
    transaction: { ...questions.payment.transaction, to: token, value, data },
    call,
    tree,
  };
}

function show(asked: TransactionQuestion | TypedDataQuestion) {
  const view = viewOf(asked, english);
  const root = rendered(h('h2', {}, view.title), view.subject, view.more ?? null);
  const lines = Array.from(root.querySelectorAll('h2, h3, .hero, dl > div'), (part) =>
    Array.from(part.matches('div') ? part.children : [part], ({ textContent }) => textContent).join(': '),
  );
  return { hero: root.querySelector('.hero')?.textContent ?? null, lines };
}

describe('a call that moves tokens', () => {
  test.each([
    ['transferAndCall(address,uint256,bytes)', [recipient, 1_500_000n, '0x'], '1.5 USDC', 'Send tokens'],
    ['send(address,uint256,bytes)', [recipient, 1_500_000n, '0x'], '1.5 USDC', 'Send tokens'],
    ['burn(uint256)', [1_500_000n], '1.5 USDC', 'Burn or redeem tokens'],
    ['approveAndCall(address,uint256,bytes)', [recipient, most, '0x'], 'Unlimited USDC', 'Allow spending'],
    ['authorizeOperator(address)', [recipient], 'All tokens USDC', 'Allow access to a whole collection'],
    [
      'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
      [recipient, recipient, 1_500_000n, 1n, 27, `0x${'01'.repeat(32)}`, `0x${'01'.repeat(32)}`],
      '1.5 USDC',
      'Allow spending',
    ],
  ])(
    '%s shows what it moves, with base units, and no amount of zero coins',
    (signature, args, hero, title) => {
      const shown = show(question(encode(signature, args)));
      expect(shown.hero).toBe(hero);
      expect(shown.lines[0]).toBe(title);
      if (hero.startsWith('1.5')) expect(shown.lines).toContain('Exact amount: 1,500,000 base units');
    },
  );

  test('one call inside others is what is shown large', () => {
    const inner = encode('approve(address,uint256)', [recipient, most]);
    const shown = show(question(encode('multicall(bytes[])', [[encode('multicall(bytes[])', [[inner]])]])));
    expect(shown.hero).toBe('Unlimited USDC');
    expect(shown.lines).toEqual(
      expect.arrayContaining([
        'Use a contract',
        'Calls inside',
        'Method: multicall',
        'Method: approve',
        'Allow spending: Unlimited USDC',
        `Spender: ${to}`,
      ]),
    );
  });

  test('several calls are listed, each with its amount, and no amount of zero is shown', () => {
    const data = encode('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', [
      ...[recipient, recipient, [7n, 8n], [1n, 2n]],
      '0x',
    ]);
    const shown = show(question(data));
    expect(shown.hero).toBeNull();
    expect(shown.lines).toEqual(
      expect.arrayContaining(['Send a collectible: 1 × #7 USDC', 'Send a collectible: 2 × #8 USDC']),
    );
  });

  test('a change of control shows its arguments', () => {
    const shown = show(question(encode('transferOwnership(address)', [recipient])));
    expect(shown.hero).toBeNull();
    expect(shown.lines).toEqual(
      expect.arrayContaining(['Method: transferOwnership', `newOwner: ${recipient}`]),
    );
  });

  test('an unknown call without coins shows no amount, and one with coins shows them', () => {
    expect(show(question('0x12345678')).hero).toBeNull();
    expect(show(question('0x12345678', '0xde0b6b3a7640000')).hero).toBe('1 tRBTC');
  });

  test('the target of a call that was found among other bytes is not stated', () => {
    const inner = encode('approve(address,uint256)', [recipient, most]);
    const shown = show(question(`0x12345678ff${inner.slice(2)}`));
    expect(shown.lines).toEqual(
      expect.arrayContaining(['Method: approve', 'Contract: Not stated', `spender: ${recipient}`]),
    );
  });
});

describe('typed data with calls', () => {
  test('each call of several is listed with its contract', () => {
    const calls = [
      encode('transfer(address,uint256)', [recipient, 1_500_000n]),
      encode('approve(address,uint256)', [recipient, most]),
    ].map((data) => createCallReader().read({ to: token, data }));
    const { lines } = show({
      ...questions.typedData,
      right: { kind: 'calls', by: 'forwarder', deadline: null },
      calls: withCallLabels(calls, labels),
    });
    expect(lines).toEqual(
      expect.arrayContaining([
        'Let someone make calls for you',
        'Send tokens: 1.5 USDC',
        'Exact amount: 1,500,000 base units',
        'Allow spending: Unlimited USDC',
      ]),
    );
  });

  test('an unclear form names the other addresses and shows every field', () => {
    const { lines } = show({
      ...questions.typedData,
      right: { kind: 'unclear', holders: [{ path: 'to.wallet', address: recipient }] },
    });
    expect(lines).toContain(`Named: to.wallet: ${to}`);
  });
});

describe('a sign-in with rights', () => {
  test('lists each action with what it is about', () => {
    const { signIn } = questions;
    const view = viewOf(
      {
        ...signIn,
        signIn: signIn.signIn && {
          ...signIn.signIn,
          rights: [{ resource: 'mailto:a@example.com', action: 'msg/send' }],
        },
      },
      english,
    );
    const root = rendered(view.subject);
    expect(root.textContent).toContain('Rights you grant');
    expect(root.querySelector('li')?.textContent).toBe('msg/sendmailto:a@example.com');
  });
});

test('a token that is to be listed shows how many base units one of it has, unless the wallet knows it', () => {
  const read = (known?: true) => {
    const { asset } = questions.watchAsset;
    const view = viewOf({ ...questions.watchAsset, asset, ...(known && { known }) }, english);
    return rendered(view.subject).textContent;
  };
  expect(read()).toContain('base units');
  expect(read(true)).not.toContain('base units');
});
