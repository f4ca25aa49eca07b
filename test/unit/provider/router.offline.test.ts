import { expect, test, vi } from 'vitest';
import { createRouter } from '../../../src/provider/router.js';

vi.mock('../../../src/rpc/method-facts/unsupported-rows.js', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

test('where the reasons do not load, a method that is not answered is unknown', async () => {
  const router = createRouter({ context: {} as never, refuse: new Set() });
  for (const method of ['eth_fillTransaction', 'personal_newAccount', 'eth_neverHeardOf'])
    await expect(router({ method, params: ['secret'] })).rejects.toMatchObject({
      code: -32601,
      message: `The method ${method} does not exist / is not available`,
    });
});
