import { expect, test } from 'vitest';
import { isRevertPayload } from '../../../../src/service/http/reply.js';
import { result } from '../../../support/scripted-service.js';
import { clientOf, play, rejection } from '../support.js';

/** A revert that a service answers as a success. */

const word = (value: number) => value.toString(16).padStart(64, '0');
const text = (words: string) => {
  const bytes = Buffer.from(words).toString('hex');
  return `0x08c379a0${word(32)}${word(words.length)}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`;
};
const panic = `0x4e487b71${word(17)}`;

test.each(['', 'no', 'x'.repeat(32), 'x'.repeat(33), 'x'.repeat(500)])('Error(%j)', (words) => {
  expect(isRevertPayload(text(words))).toBe(true);
});

test('Panic, and capitals', () => {
  expect([isRevertPayload(panic), isRevertPayload(panic.toUpperCase().replace('0X', '0x'))]).toEqual([
    true,
    true,
  ]);
});

test.each([
  ['a word that begins like an error', `0x08c379a0${'0'.repeat(56)}`],
  ['two words that do', `0x08c379a0${'0'.repeat(56)}${word(1)}`],
  ['the selector alone', '0x08c379a0'],
  ['an offset that is not the first', `0x08c379a0${word(64)}${word(2)}${word(0)}`],
  ['a length beyond the end', `0x08c379a0${word(32)}${word(33)}${word(0)}`],
  ['more words than the text has', `0x08c379a0${word(32)}${word(2)}${word(0)}${word(0)}`],
  ['a panic with a second word', `${panic}${word(0)}`],
  [
    'bytes that a function returns, in its own words',
    `0x${word(32)}${word(100)}${text('no').slice(2)}${'0'.repeat(56)}`,
  ],
  ['a custom error', `0x12345678${word(1)}`],
  ['nothing', '0x'],
  ['no text', 5],
] as const)('%s is a result', (_name, payload) => {
  expect(isRevertPayload(payload)).toBe(false);
});

test.each(['eth_call', 'eth_estimateGas'])('%s fails as if the service had said so', async (method) => {
  const scripted = await play(result(text('not enough')));
  const error = await rejection(clientOf(scripted.url).request(method, [{}, 'latest']));
  expect(error).toMatchObject({
    code: 3,
    message: 'execution reverted: not enough',
    data: text('not enough'),
  });
  expect(scripted.requests).toHaveLength(1);
});

test('other methods may return it', async () => {
  const scripted = await play(result(text('not enough')));
  expect(await clientOf(scripted.url).request('eth_getCode', ['0x1', 'latest'])).toBe(text('not enough'));
});
