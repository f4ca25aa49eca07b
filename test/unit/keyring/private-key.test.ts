import { describe, expect, test } from 'vitest';
import { readPrivateKey } from '../../../src/keyring/private-key.js';

const key = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

describe('readPrivateKey', () => {
  test.each([key, `0x${key}`, key.toUpperCase(), ` 0x${key}\n`])('%#', (text) => {
    expect(Buffer.from(readPrivateKey(text)).toString('hex')).toBe(key);
  });

  test.each([
    ['import-017, the order', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
    ['import-018, over it', `0x${'ff'.repeat(32)}`],
    ['import-019, short', '0x01'],
    ['import-020, not hexadecimal', 'hello'],
    ['zero', `0x${'00'.repeat(32)}`],
    ['31 bytes', key.slice(2)],
    ['33 bytes', `${key}00`],
    ['odd', key.slice(1)],
    ['empty', ''],
  ])('%s', (_name, text) => {
    let message = '';
    try {
      readPrivateKey(text);
    } catch (error) {
      expect(error).toMatchObject({ code: -32602 });
      message = (error as Error).message;
    }
    expect(message).toContain('private key');
    if (text.length > 1) expect(message).not.toContain(text.replace('0x', '').slice(0, 8) || '-');
  });
});
