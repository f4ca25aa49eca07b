import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { apiKey } from '../../support/relay-server.js';
import { startWorker } from '../../support/workerd.js';

/** The limits on connections of a Durable Object, in the vendor's own runtime. */
let service: LocalService;

beforeAll(async () => {
  service = await createLocalService({ mining: 'manual', apiKeys: [apiKey] });
});
afterAll(() => service?.close());

test('a connection above the limit gets 4003 and is closed, and the others are served', async () => {
  const worker = await startWorker({
    [`GRAFT_RELAY_URL_${service.chainId}`]: service.url,
    GRAFT_RELAY_CONFIG: { origins: ['*'], open: true, limits: { connections: 2 } },
  });
  onTestFinished(() => worker[Symbol.asyncDispose]());
  const open = () =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`${worker.url.replace('http', 'ws')}/${service.chainId}`);
      socket.once('open', () => resolve(socket));
      socket.once('error', reject);
      onTestFinished(() => socket.terminate());
    });
  const closed = (socket: WebSocket) => new Promise<number>((resolve) => socket.once('close', resolve));
  const first = await open();
  await open();
  const answer = () =>
    new Promise((resolve) => {
      first.once('message', (data) => resolve(JSON.parse(String(data)).id));
      first.send('{"id":7,"method":"eth_chainId"}');
    });
  for (let i = 0; i < 3; i++) expect(await closed(await open())).toBe(4003);
  expect(await answer()).toBe(7);
});
