import { toFunctionSelector } from 'viem';
import { describe, expect, test } from 'vitest';
import { solidityErrors } from '../../../../src/service/errors/solidity-errors.js';

describe('solidityErrors', () => {
  test('words for a payload, none for one that is not known', async () => {
    const describeRevert = solidityErrors(['error Closed()']);
    expect(await describeRevert(toFunctionSelector('Closed()'))).toBe('Closed()');
    expect(await describeRevert('0x12345678')).toBeUndefined();
    expect(await describeRevert('0x')).toBeUndefined();
    expect(await solidityErrors([])('0x12345678')).toBeUndefined();
  });

  test('a malformed signature is refused at once', () => {
    expect(() => solidityErrors(['error A(Kind kind)'])).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining('errors[0]') }),
    );
  });
});
