import { describe, expect, test } from 'vitest';
import { messageWarnings } from '../../../../src/approvals/describe/message.js';
import { fc } from '../../../support/property.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const context = { origin: 'https://app.example', chainId: 31, address, now: Date.UTC(2026, 10, 3) };
const signIn = (domain: string, chainId = 31, more = '') =>
  bytes(
    `${domain} wants you to sign in with your Ethereum account:\n${address}\n\n\nURI: https://app.example/\nVersion: 1\nChain ID: ${chainId}\nNonce: 12345678\nIssued At: 2026-11-02T00:00:00Z${more}`,
  );
const codes = (message: Uint8Array) =>
  messageWarnings(message, context).map(({ code, severity }) => [code, severity]);

describe('messageWarnings', () => {
  test('a plain message and a sign-in message of this site have no warnings', () => {
    expect(codes(bytes('Hello'))).toEqual([]);
    expect(codes(signIn('app.example'))).toEqual([]);
  });

  test.each<[string, Uint8Array, unknown]>([
    ['32 bytes (message-010)', new Uint8Array(32).fill(0xab), [['blind-signing', 'danger']]],
    ['32 bytes of controls', new Uint8Array(32), [['blind-signing', 'danger']]],
    ['32 letters', bytes('Please sign this message: 123456'), [['blind-signing', 'danger']]],
    ['31 letters', bytes('Please sign this message: 12345'), []],
    ['33 letters', bytes('Please sign this message: 1234567'), []],
    ['64 digits', bytes('ab'.repeat(32)), [['blind-signing', 'caution']]],
    ['64 digits behind 0x', bytes(`0x${'AB'.repeat(32)}\n`), [['blind-signing', 'caution']]],
    ['an address', bytes(address), []],
    ['63 digits', bytes('a'.repeat(63)), []],
    ['a hash in a sentence', bytes(`Nonce: 0x${'ab'.repeat(32)}`), []],
    ['bytes that are no text', Uint8Array.of(0xff), [['blind-signing', 'caution']]],
    ['hidden characters (message-009)', bytes('pay \u202e 001'), [['hidden-characters', 'caution']]],
    [
      'a malformed sign-in (siwe-013)',
      bytes('app.example wants you to sign in with your Ethereum account: now'),
      [['sign-in-malformed', 'danger']],
    ],
    ['another site', signIn('evil.example'), [['sign-in-other-site', 'danger']]],
    [
      'a malformed sign-in of another site',
      bytes('x wants you to sign in with your Ethereum account: now'),
      [
        ['sign-in-other-site', 'danger'],
        ['sign-in-malformed', 'danger'],
      ],
    ],
    ['another chain', signIn('app.example', 1), [['sign-in-other-chain', 'caution']]],
    [
      'an expired one',
      signIn('app.example', 31, '\nExpiration Time: 2001-01-01T00:00:00Z'),
      [['sign-in-expired', 'danger']],
    ],
  ])('%s', (_, message, expected) => {
    expect(codes(message)).toEqual(expected);
  });

  test('any 32 bytes are a danger, and what encodes them as text alone is a caution', () => {
    const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    const base58 = (value: bigint): string =>
      value === 0n ? '' : `${base58(value / 58n)}${digits[Number(value % 58n)]}`;
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }).filter(([first]) => (first as number) > 0),
        (hash) => {
          const buffer = Buffer.from(hash);
          const value = BigInt(`0x${buffer.toString('hex')}`);
          expect(codes(hash)[0]).toEqual(['blind-signing', 'danger']);
          for (const text of [
            buffer.toString('hex'),
            buffer.toString('base64'),
            buffer.toString('base64url'),
            base58(value),
          ])
            expect(codes(bytes(text)), text).toEqual([['blind-signing', 'caution']]);
        },
      ),
      { seed: 20261125 },
    );
  });

  test('the other site is named', () => {
    expect(messageWarnings(signIn('evil.example'), context)[0]?.detail).toBe('evil.example');
  });
});
