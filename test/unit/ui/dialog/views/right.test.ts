// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { TypedDataQuestion } from '../../../../../src/approvals/question.js';
import type { Right } from '../../../../../src/approvals/right.js';
import { h } from '../../../../../src/ui/h.js';
import { english } from '../../../../support/english.js';
import * as questions from '../../../../support/questions.js';
import { rendered, viewOf } from '../../../../support/render.js';

/** Title, lead and every row as one line of text each. */
function read(question: TypedDataQuestion): readonly string[] {
  const view = viewOf(question, english);
  const root = rendered(h('h2', {}, view.title), h('p', {}, view.lead), view.subject, view.more ?? null);
  return Array.from(root.querySelectorAll('h2, p, dl > div, li'), (part) =>
    Array.from(part.matches('div') ? part.children : [part], ({ textContent }) => textContent).join(': '),
  );
}

const to = '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd';
const shown = (right: Right) => read({ ...questions.transferRight, right });
const label = { address: questions.token, symbol: 'USDC', decimals: 6 } as const;

describe('typed data that grants a right', () => {
  test('a token transfer shows amount, recipient, token, deadline and an interpretation of every value', () => {
    const lines = read(questions.transferRight);
    expect(lines).toEqual(
      expect.arrayContaining([
        'Allow a transfer',
        'Anyone with this signature can send this from your account to the recipient, once.',
        '1.5 USDC',
        `To: ${to}`,
        expect.stringMatching(/^Valid until: .*2026/),
        'value uint256: 1500000 1.5 USDC, according to the contract',
        expect.stringMatching(/^validBefore uint256: 1793638800 .*2026/),
      ]),
    );
    expect(lines).toContainEqual(expect.stringMatching(/The contract calls itself USDC\. It says its/));
  });

  test('an amount with unusual decimals is also shown in base units', () => {
    const lines = shown({
      kind: 'transfer',
      to: questions.recipient,
      token: { ...label, decimals: 36 },
      amount: `${10n ** 30n}`,
      deadline: null,
    });
    expect(lines).toEqual(
      expect.arrayContaining([
        '0.000001 USDC',
        'Exact amount: 1,000,000,000,000,000,000,000,000,000,000 base units',
        'Valid until: No expiry',
      ]),
    );
  });

  test('a collectible and a whole collection are named', () => {
    const token = { address: questions.token, symbol: 'PUNK' } as const;
    const spender = questions.recipient;
    expect(shown({ kind: 'collectible', spender, token, tokenId: '77', deadline: null })).toEqual(
      expect.arrayContaining(['Allow a collectible to be moved', '#77 PUNK', `Spender: ${to}`]),
    );
    const collection = { kind: 'collection', operator: spender, token, deadline: null } as const;
    expect(shown({ ...collection, approved: true })).toEqual(
      expect.arrayContaining(['Allow access to a whole collection', 'All tokens PUNK', `Operator: ${to}`]),
    );
    expect(shown({ ...collection, approved: false })).toContain('Withdraw access to a collection');
  });

  test('an order shows what is given and received, each token with its claims', () => {
    const lines = read(questions.orderRight);
    expect(lines).toContain('Sign an order');
    expect(lines).toContainEqual(expect.stringMatching(/^#77.*The contract calls itself PUNK\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^2\.5 USDC.*It says its amounts have 6 decimals\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^5 base units0x5aAe/));
    expect(lines).toContain('0.95 tRBTC');
    const right = questions.orderRight.right as Extract<Right, { kind: 'orders' }>;
    const any = { token: { ...label, symbol: 'PUNK' }, amount: '1000000', any: true } as const;
    expect(read({ ...questions.orderRight, right: { ...right, gives: [any] } })).toContainEqual(
      expect.stringMatching(/^1,000,000 × #\*/),
    );
    expect(read({ ...questions.orderRight, right: { ...right, count: 3, takes: [] } })).toEqual(
      expect.arrayContaining(['Sign 3 orders', 'You get, at least: Nothing']),
    );
  });

  test('a call by a forwarder or a Safe is decoded, or else shown by contract and method', () => {
    const call = {
      name: 'approve',
      spender: questions.recipient,
      amount: '5000000',
      unlimited: false,
      token: label,
    } as const;
    const forwarded = {
      kind: 'call',
      by: 'forwarder',
      to: questions.token,
      value: '1000000000000000000',
      data: '0x095ea7b3',
      call,
      delegated: false,
      deadline: null,
    } as const;
    expect(shown(forwarded)).toEqual(
      expect.arrayContaining([
        'Let someone make a call for you',
        '5 USDC',
        `Spender: ${to}`,
        'Method: Allow spending',
        'Also sends: 1 tRBTC',
      ]),
    );
    expect(shown({ ...forwarded, to: null, call: null })).toContain('Contract: New contract');
    expect(read(questions.safeRight)).toEqual(
      expect.arrayContaining([
        'Confirm a transaction of a Safe',
        '0.25 tRBTC',
        `Runs the code of: ${to}`,
        'Method: 0x12345678',
      ]),
    );
  });

  test('an unknown type shows the named addresses and every signed field', () => {
    expect(read(questions.otherRight)).toEqual(
      expect.arrayContaining([
        'Sign data that grants a right',
        `Named: operator: ${to}`,
        expect.stringMatching(/^expiresAt uint64: 1793638800 .*2026/),
      ]),
    );
  });

  test('a permit for several tokens names each', () => {
    const permit = {
      spender: questions.recipient,
      token: null,
      amount: '2500000',
      units: '2500000',
      deadline: null,
      items: [
        { token: label, amount: '2500000' },
        { token: { address: questions.recipient }, amount: '7' },
      ],
    } as const;
    const lines = read({ ...questions.permit, permit });
    expect(lines).toContainEqual(expect.stringMatching(/^2\.5 USDC0x/));
    expect(lines).toContainEqual(expect.stringMatching(/^7 base units0x/));
  });
});
