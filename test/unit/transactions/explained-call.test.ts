import { expect, test } from 'vitest';
import type { DescribedContractCall, ExplainedField } from '../../../src/approvals/question.js';
import type { Address } from '../../../src/rpc/schema.js';
import type { Service } from '../../../src/service/service.js';
import { withExplainedLabels } from '../../../src/transactions/explained-call.js';
import type { JournalEntry } from '../../../src/transactions/journal-entry.js';
import {
  explainedAddresses,
  lookAlikeWarnings,
  withExplainedNames,
} from '../../../src/transactions/recipient.js';

const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '5')}` as Address;
const described = (fields: readonly ExplainedField[]): DescribedContractCall => ({
  name: 'f',
  arguments: [],
  explained: { intent: 'Act', owner: 'Example', hash: '0x12', fields, unexplained: [] },
});
const service = {
  network: { chainId: 30, currency: { symbol: 'RBTC', decimals: 18 } },
  request: async () => '0x',
} as unknown as Service;

test('a description of the page does not say which tokens the wallet knows', async () => {
  const fields = Array.from({ length: 7 }, (_, i) => ({
    label: 'Amount',
    kind: 'tokens' as const,
    amount: '5',
    token: { address: addressOf(i + 1), symbol: 'RIF', decimals: 0, known: true as const },
  }));
  const labelled = await withExplainedLabels(service, described(fields));
  const known = labelled.explained?.fields.map((field) => (field as { token: { known?: true } }).token.known);
  expect(known).toEqual(Array(7).fill(undefined));
});

test('a description of the page without fields makes nothing throw', async () => {
  const wrong = {
    name: 'f',
    arguments: [],
    explained: { intent: 'Act' },
  } as unknown as DescribedContractCall;
  await expect(withExplainedLabels(service, wrong)).resolves.toBeDefined();
});

test('the transactions that addresses are compared with are decoded once', () => {
  const fields = Array.from({ length: 64 }, (_, i) => ({
    label: 'To',
    kind: 'address' as const,
    recipient: { address: addressOf(i) },
  }));
  let reads = 0;
  const entries = Array.from(
    { length: 300 },
    (_, i) =>
      ({
        chainId: 30,
        to: addressOf(9_000 + i),
        state: 'mined',
        get data() {
          reads++;
          return '0xa9059cbb';
        },
      }) as unknown as JournalEntry,
  );
  const facts = { chainId: 30, ownAddresses: [], contacts: [], entries, archived: [] };
  withExplainedNames(described(fields), facts);
  lookAlikeWarnings(explainedAddresses(described(fields)), facts);
  expect(reads).toBeLessThanOrEqual(4 * entries.length);
});

test('the token of a field that looks like a known contract is a danger', () => {
  const known = '0x2acc95758f8b5f583470ba265eb685a8f45fc9d5';
  const token = { address: `${known.slice(0, 6)}${'5a'.repeat(16)}${known.slice(-4)}` as Address };
  const facts = { chainId: 30, ownAddresses: [known] as const, contacts: [], entries: [], archived: [] };
  for (const field of [
    { label: 'Into', kind: 'token', token },
    { label: 'Amount', kind: 'tokens', amount: '5', token },
    { label: 'Item', kind: 'collectible', id: '5', token },
  ] as const)
    expect(lookAlikeWarnings(explainedAddresses(described([field])), facts), field.kind).toEqual([
      { code: 'resembles-known', severity: 'danger', detail: known },
    ]);
});
