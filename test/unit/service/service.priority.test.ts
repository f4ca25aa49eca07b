import { expect, test } from 'vitest';
import { withPriority } from '../../../src/service/service.js';
import { result } from '../../support/scripted-service.js';
import { clientOf, play } from './support.js';

test('keeps everything else, and a priority of the request wins', async () => {
  const scripted = await play(result('0x1'));
  const asked: unknown[] = [];
  const service = clientOf(scripted.url);
  const background = withPriority(
    {
      ...service,
      request(method, params, options) {
        asked.push(options?.priority);
        return service.request(method, params, options);
      },
    },
    'background',
  );
  const check = (value: unknown) => expect(value).toBe('0x1');
  expect(await background.request('eth_blockNumber', [])).toBe('0x1');
  expect(await background.request('eth_blockNumber', [], { check, priority: 'person' })).toBe('0x1');
  expect(asked).toEqual(['background', 'person']);
  expect(background.network).toBe(service.network);
  expect(background.usage().sent).toEqual({ eth_blockNumber: 2 });
});
