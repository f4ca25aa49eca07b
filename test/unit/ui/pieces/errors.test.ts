import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { Problem, unprovenIn, wordsForError } from '../../../../src/ui/pieces/errors.js';

const texts = { 4100: 'The password is wrong.', [-32002]: 'Out of reach.', 'vault-newer': 'Reload.' };

test.each([
  [new ProviderRpcError(4100, 'wrong credential'), 'The password is wrong.'],
  [new ProviderRpcError(-32002, 'https://node/key failed'), 'Out of reach.'],
  [new ProviderRpcError(-32002, 'newer', { reason: 'vault-newer' }), 'Reload.'],
  [new ProviderRpcError(-32002, 'other', { reason: 'toString' }), 'Out of reach.'],
  [new ProviderRpcError(-32603, 'bad reply'), 'Try again.'],
  [new TypeError('x is not a function'), 'Try again.'],
  ['a string', 'Try again.'],
  [new Problem('Choose a file.'), 'Choose a file.'],
])('%s is described by its code, never by its message', (error, text) => {
  expect(wordsForError(error, texts, 'Try again.')).toBe(text);
});

test('accounts that a person has to confirm are read from errors of that reason alone', () => {
  const data = { reason: 'vault-unproven', accounts: [] };
  expect(unprovenIn(new ProviderRpcError(-32002, 'x', data))).toBe(data);
  for (const other of [new ProviderRpcError(-32002, 'x'), new ProviderRpcError(3, 'x', '0x'), data, null])
    expect(unprovenIn(other)).toBeNull();
});
