import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import { Problem, wordsForError } from '../../../../src/ui/pieces/errors.js';

const texts = { 4100: 'The password is wrong.', [-32002]: 'Out of reach.' };

test.each([
  [new ProviderRpcError(4100, 'wrong credential'), 'The password is wrong.'],
  [new ProviderRpcError(-32002, 'https://node/key failed'), 'Out of reach.'],
  [new ProviderRpcError(-32603, 'bad reply'), 'Try again.'],
  [new TypeError('x is not a function'), 'Try again.'],
  ['a string', 'Try again.'],
  [new Problem('Choose a file.'), 'Choose a file.'],
])('%s is told by its code, never by its message', (error, text) => {
  expect(wordsForError(error, texts, 'Try again.')).toBe(text);
});
