import { expect, test } from 'vitest';
import { diagnose, keepNodeError } from '../../../../src/service/errors/diagnose.js';
import { copyOf, nodeErrorOf } from '../../../../src/service/errors/errors.js';
import { error as answer } from '../../../support/scripted-service.js';
import { clientOf, play, rejection } from '../support.js';

const kept = (said: object, redact: (text: string) => string = String) => {
  const { error } = diagnose({ method: 'eth_call', ...said }, redact);
  keepNodeError(error, said, redact);
  return error;
};

test('a long error of the node is whole behind the shortened one, and behind its copies', () => {
  const said = { code: -32000, text: 'long '.repeat(500), data: { more: 'x'.repeat(5_000) } };
  const error = kept(said);
  expect(error.message.length).toBeLessThan(said.text.length);
  const whole = { code: said.code, message: said.text, data: said.data };
  expect(nodeErrorOf(error)).toEqual(whole);
  expect(nodeErrorOf(copyOf(error))).toEqual(whole);
});

test('an error that is not shortened, or has no code, is not kept', () => {
  expect(nodeErrorOf(kept({ code: -32000, text: 'short', data: '0x' }))).toBeUndefined();
  expect(nodeErrorOf(kept({ trouble: 'broken', text: 'long '.repeat(500) }))).toBeUndefined();
});

test('an error of more than 16 kB is neither kept nor searched for keys', () => {
  const seen: number[] = [];
  for (const length of [10, 200, 16_000, 17_000, 500_000]) {
    const said = { code: 3, text: 'x'.repeat(length) };
    const { error } = diagnose({ method: 'eth_call', ...said }, String);
    keepNodeError(error, said, (text) => {
      seen.push(text.length);
      return text;
    });
    expect(nodeErrorOf(error) !== undefined).toBe(length === 16_000);
  }
  expect(seen).toHaveLength(1);
});

test('keys are redacted in every part of it', () => {
  const redact = (text: string) => text.replaceAll('SECRET', '[redacted]');
  const said = { code: 3, text: `SECRET ${'x'.repeat(300)}`, data: ['SECRET'] };
  expect(JSON.stringify(nodeErrorOf(kept(said, redact)))).not.toContain('SECRET');
});

test('data that is nested deeper than it can be written again is not kept', () => {
  let data: unknown = 'deep';
  for (let i = 0; i < 50_000; i++) data = [data];
  const error = diagnose({ method: 'eth_call', code: 3, text: 'no' }, String).error;
  keepNodeError(error, { code: 3, text: 'no', data }, String);
  expect(nodeErrorOf(error)).toBeUndefined();
});

test.each([true, false])('a client with nodeErrors keeps long errors of the node: %s', async (nodeErrors) => {
  const message = 'words '.repeat(200);
  const { url } = await play(answer(-32000, message));
  const failure = await rejection(clientOf(url, { nodeErrors }).request('eth_gasPrice', []));
  expect(nodeErrorOf(failure)).toEqual(nodeErrors ? { code: -32000, message } : undefined);
});
