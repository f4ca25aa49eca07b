import { expect, test } from 'vitest';
import { userRejected } from '../../../src/rpc/core-errors.js';
import { invalidParams, ProviderRpcError } from '../../../src/rpc/errors.js';

test('an error in JSON has its message, and neither its stack nor the service’s own error', () => {
  const error = new ProviderRpcError(3, 'execution reverted: no', '0x08c379a0', { code: -32015 });
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
  });
  expect(JSON.parse(JSON.stringify(userRejected()))).toEqual({ code: 4001, message: userRejected().message });
});

test('a method toJSON is no property of the error itself', () => {
  expect(Object.keys(invalidParams('params[0]: wrong'))).not.toContain('toJSON');
  expect({ ...invalidParams('params[0]: wrong') }).not.toHaveProperty('toJSON');
});
