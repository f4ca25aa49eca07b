import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Intercept } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { clientOf } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';
import { startRelayProcess } from '../../support/relay-cluster.js';
import { generousLimits, type RelayRig, startRelay } from '../../support/relay-server.js';
import { until } from '../../support/until.js';

hastenKdfOfFile();

/** Whatever becomes of the answer to a payment behind a relay, it is made once. */
let rig: RelayRig;
let recipients = 0;

beforeAll(async () => {
  rig = await startRelay({ limits: generousLimits });
});
afterAll(() => rig[Symbol.asyncDispose]());

async function payThrough(url: string) {
  const wallet = openWallet({
    networks: [{ chainId: 33, url }],
    approver: () => headless({ password: 'correct horse' }),
    pollingInterval: 100,
  });
  onTestFinished(() => wallet.destroy());
  const { account } = await wallet.create('correct horse');
  const from = account.address as `0x${string}`;
  await rig.service.controls.faucet(from);
  await rig.service.controls.mine();
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const to = `0x${(++recipients).toString(16).padStart(40, 'e')}` as const;
  const answered = wallet.provider
    .request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x5' }] })
    .then(
      (hash) => ({ hash, code: undefined }),
      ({ code }: { code: number }) => ({ hash: undefined, code }),
    );
  return { wallet, from, to, answered };
}

/** Blocks come until the wallet knows the payment as mined; then it must have been made once. */
async function expectOnce(
  { wallet, from, to, answered }: Awaited<ReturnType<typeof payThrough>>,
  timeout = 20_000,
) {
  const { hash, code } = await answered;
  // Refused is -32003: who reads that pays again.
  expect(code).not.toBe(-32003);
  await until(
    async () => {
      await rig.service.controls.mine();
      const [entry] = await wallet.transactions();
      return entry?.state === 'mined' && (hash === undefined || entry.hash === hash);
    },
    { interval: 150, timeout, failure: 'The payment is not mined.' },
  );
  expect(await wallet.transactions()).toHaveLength(1);
  const { call } = clientOf(rig.service);
  expect(await call('eth_getBalance', to, 'latest')).toBe('0x5');
  expect(await call('eth_getTransactionCount', from, 'latest')).toBe('0x1');
}

const isSend: (asked: Parameters<Intercept>[0]) => boolean = ({ calls }) =>
  calls.some(({ method }) => method === 'eth_sendRawTransaction');

test.each<[what: string, reply: Awaited<ReturnType<Intercept>>]>([
  ['whose answer is lost', 'drop'],
  ['that a gateway answers with 503', { status: 503, body: '<h1>Service Unavailable</h1>' }],
  ['that a gateway answers with 429', { status: 429, body: 'Too Many Requests' }],
  [
    'that is answered with an error of the node’s own time limit',
    { status: 200, body: '{"error":{"code":-32011,"message":"Execution has got timeout out."}}' },
  ],
  ['that is answered with half of a reply', { status: 200, body: '{"jsonrpc":"2.0","id":1,"resu' }],
  ['that is never answered', 'hang'],
])(
  'a payment that the service has accepted, and %s, is made once',
  async (_, reply) => {
    let isFirst = true;
    const release = rig.service.controls.intercept(async (asked, process) => {
      if (!isSend(asked) || !isFirst) return undefined;
      isFirst = false;
      await process();
      return reply;
    });
    onTestFinished(release);
    await expectOnce(await payThrough(rig.url));
    expect(isFirst).toBe(false);
  },
  60_000,
);

test('a payment that the service has never seen, because the relay could not reach it, is made once', async () => {
  let refused = 0;
  const release = rig.service.controls.intercept((asked) => {
    if (!isSend(asked) || refused === 2) return undefined;
    refused += 1;
    return 'drop';
  });
  onTestFinished(release);
  await expectOnce(await payThrough(rig.url));
  expect(refused).toBe(2);
});

test.each([
  ['after the service has accepted it', true],
  ['before the service has seen it', false],
])(
  'a payment whose relay is killed %s is made once',
  async (_, isAccepted) => {
    const killed = await startRelayProcess(rig.service, { limits: generousLimits });
    onTestFinished(() => killed.stop());
    let isHeld = false;
    const release = rig.service.controls.intercept(async (asked, process) => {
      if (!isSend(asked) || isHeld) return undefined;
      if (isAccepted) await process();
      isHeld = true;
      return 'hang';
    });
    onTestFinished(release);
    const payment = await payThrough(`${killed.url}/33`);
    await until(() => isHeld);
    killed.signal('SIGKILL');
    const port = Number(new URL(killed.url).port);
    const next = await startRelayProcess(rig.service, { port, limits: generousLimits });
    onTestFinished(() => next.stop());
    await expectOnce(payment);
  },
  60_000,
);

test('nothing that the relay refuses by itself has reached the service', async () => {
  const strict = await startRelay(
    { limits: { ...generousLimits, sendsPerSecond: 0.05, sendBurst: 2 } },
    rig.service,
  );
  onTestFinished(() => strict.node.stop());
  const send = (raw: string) =>
    fetch(strict.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }),
    });
  const before = rig.service.requests.count('eth_sendRawTransaction');
  expect((await (await send('0x00')).json()).error.code).toBe(-32602);
  await expectOnce(await payThrough(strict.url));
  expect(rig.service.requests.count('eth_sendRawTransaction') - before).toBe(1);
  // The bucket is empty now: the next one is signed and kept, and is not sent.
  const later = await payThrough(strict.url);
  expect((await later.answered).code).not.toBe(-32003);
  expect(rig.service.requests.count('eth_sendRawTransaction') - before).toBe(1);
  expect(await later.wallet.transactions()).toHaveLength(1);
  // Once the relay lets it pass, the wallet sends it by itself: after the 20 s that it was told to wait.
  await strict.node.stop();
  const generous = await startRelay({ port: strict.node.port, limits: generousLimits }, rig.service);
  onTestFinished(() => generous.node.stop());
  await expectOnce(later, 45_000);
  // The same bytes may come twice where the first reply was late.
  const sends = rig.service.requests
    .filter(({ method }) => method === 'eth_sendRawTransaction')
    .slice(before);
  expect(new Set(sends.map(({ params }) => String(params))).size).toBe(2);
}, 90_000);
