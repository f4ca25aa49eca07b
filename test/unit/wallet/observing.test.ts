import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { WalletEvent } from '../../../src/index.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { mnemonic, origin, password } from '../../support/keys.js';
import { knownMethods } from '../../support/known-methods.js';
import { openPage, type Page, withKeys } from '../../support/page.js';
import { fc } from '../../support/property.js';
import {
  createScriptedService,
  plantedKey,
  respond,
  result,
  type Script,
} from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';

hastenKdfOfFile();

let service: LocalService;
beforeAll(async () => {
  service = await createLocalService({ chainId: 31, mining: 'manual' });
});
afterAll(() => service.close());
beforeEach(() => service.requests.clear());

const account = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';

interface Observed extends Page {
  readonly seen: WalletEvent[];
  of<Kind extends WalletEvent['kind']>(kind: Kind): Extract<WalletEvent, { kind: Kind }>[];
}

function open(options: Partial<openPage.Options> = {}): Observed {
  const page = openPage({ networks: [{ chainId: 31, url: service.url }], ...options });
  onTestFinished(page.close);
  const seen: WalletEvent[] = [];
  page.wallet.observe((event) => seen.push(event));
  const of = (kind: WalletEvent['kind']) => seen.filter((event) => event.kind === kind);
  return { ...page, seen, of: of as Observed['of'] };
}

describe('requests of the page', () => {
  test('each is reported with its method, origin and chain, and its end with the time it took and its code', async () => {
    const page = open();
    await page.request('eth_getBalance', [account, 'latest']);
    await page.refusal('eth_getBalance', ['nonsense', 'latest']);
    await page.refusal('eth_coinbase_of_nobody');
    const asked = { origin, chainId: 31, at: expect.any(Number) };
    expect(page.of('asked')).toEqual([
      { kind: 'asked', id: 1, method: 'eth_getBalance', ...asked },
      { kind: 'asked', id: 2, method: 'eth_getBalance', ...asked },
      { kind: 'asked', id: 3, method: 'unknown', ...asked },
    ]);
    const answered = { at: expect.any(Number), ms: expect.any(Number) };
    expect(page.of('answered')).toEqual([
      { kind: 'answered', id: 1, method: 'eth_getBalance', from: 'service', ...answered },
      { kind: 'answered', id: 2, method: 'eth_getBalance', from: 'local', code: -32602, ...answered },
      { kind: 'answered', id: 3, method: 'unknown', from: 'local', code: -32601, ...answered },
    ]);
  });

  test('say whether the session, memory, an equal request in flight or the service has answered', async () => {
    // With an interval of its own, reads of a service on this machine are cached too.
    const page = open({ pollingInterval: 60_000 });
    const read = () => page.request('eth_getBalance', [account, 'latest']);
    await Promise.all([read(), read()]);
    await page.request('eth_chainId');
    expect(page.of('answered').map(({ method, from }) => `${method} ${from}`)).toEqual([
      'eth_getBalance service',
      'eth_getBalance shared',
      'eth_chainId local',
    ]);
    // The cache loads with the first repeated read.
    await expect.poll(() => read().then(() => page.of('answered').at(-1)?.from)).toBe('cache');
    const usage = page.wallet.usage().get(31);
    const reads = (from: WalletEvent.Source) => page.of('read').filter((each) => each.from === from);
    expect(reads('cache')).toHaveLength(usage?.cached.eth_getBalance ?? 0);
    expect(reads('shared')).toHaveLength(usage?.shared ?? 0);
    expect(reads('service')).toHaveLength(service.requests.count());
    expect(reads('cache')[0]?.asked).toBe(page.of('answered').find(({ from }) => from === 'cache')?.id);
  });
});

describe('HTTP', () => {
  test('each round trip is reported as the service has counted it', async () => {
    const page = open({ networks: [{ chainId: 31, url: service.url, batch: 10 }] });
    await Promise.all([
      page.request('eth_getBalance', [account, 'latest']),
      page.request('eth_getCode', [account, 'latest']),
      page.request('eth_gasPrice'),
    ]);
    await page.request('eth_gasPrice');
    const round = {
      kind: 'http',
      at: expect.any(Number),
      chainId: 31,
      host: `127.0.0.1:${service.port}`,
      retries: 0,
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      cost: 0,
    };
    expect(page.of('http')).toEqual([
      { ...round, methods: ['eth_getBalance', 'eth_getCode', 'eth_gasPrice'] },
      { ...round, methods: ['eth_gasPrice'] },
    ]);
    expect(page.of('http')).toHaveLength(service.requests.http);
    expect(page.of('http').flatMap(({ methods }) => methods)).toEqual(
      service.requests.map(({ method }) => method),
    );
  });

  test('a repeated call counts as a retry, with the status of each reply, and a lost connection has none', async () => {
    const drop: Script = (response) => void response.destroy();
    const scripted = await createScriptedService(respond('', 503), drop, result('0x2a'));
    onTestFinished(scripted.stop);
    const page = open({ networks: [{ chainId: 31, url: scripted.url }] });
    expect(await page.request('eth_blockNumber')).toBe('0x2a');
    expect(page.of('http').map(({ status, retries }) => [status, retries])).toEqual([
      [503, 0],
      [undefined, 1],
      [200, 1],
    ]);
    expect(page.of('http')[2]?.bytes).toBeGreaterThan(30);
    expect(page.of('read')).toHaveLength(1);
  });

  test('the cost of a request is reported, and the rest of the quota', async () => {
    const page = open({ networks: [{ chainId: 31, url: service.url, requestsPerDay: 1_000 }] });
    await page.request('eth_gasPrice');
    await page.request('eth_getBalance', [account, 'latest']);
    expect(page.of('http').map(({ cost }) => cost)).toEqual([1, 1]);
    const { today, perDay } = page.wallet.usage().get(31)?.quota ?? {};
    expect(page.of('quota').at(-1)).toEqual({
      kind: 'quota',
      at: expect.any(Number),
      chainId: 31,
      used: today,
      perDay,
      left: 1_000 - (today ?? 0),
      state: 'normal',
      slowdown: 1,
    });
  });
});

describe('the chain', () => {
  test('new blocks, a reorganisation, and what a subscription holds', async () => {
    const page = open();
    const id = await page.request('eth_subscribe', ['newHeads']);
    await service.controls.mine(2);
    await expect.poll(() => page.payloads('message').length).toBe(2);
    await service.controls.reorg(1, { blocks: 2 });
    await expect.poll(() => page.payloads('message').length).toBe(4);
    await page.request('eth_unsubscribe', [id]);

    const height = Number(await page.request('eth_blockNumber'));
    const subscription = { kind: 'subscription', at: expect.any(Number), chainId: 31, id, of: 'newHeads' };
    expect(page.of('subscription')).toEqual([
      { ...subscription, durable: false, state: 'created' },
      { ...subscription, durable: false, state: 'ended' },
    ]);
    expect(page.of('delivered').map(({ block }) => block)).toEqual(
      page.payloads('message').map((each) => Number((each as Message).data.result.number)),
    );
    expect(page.of('delivered').at(-1)).toMatchObject({ id, block: height, removed: false });
    expect(page.of('reorganisation')).toEqual([
      { kind: 'reorganisation', at: expect.any(Number), chainId: 31, removed: 1, added: 2 },
    ]);
    const head = await page.request('eth_getBlockByNumber', ['latest', false]);
    expect(page.of('head').at(-1)).toMatchObject({ number: height, hash: (head as { hash: string }).hash });
  });
});

const addressOf = ({ wallet }: Page) => wallet.state().accounts[0]?.address;

interface Message {
  readonly data: { readonly result: { readonly number: string } };
}

describe('questions', () => {
  test('are reported when they are asked, and with their outcome', async () => {
    const page = open({ session: 'none' });
    await withKeys(page);
    page.decide(() => false);
    await page.refusal('personal_sign', ['0x68', addressOf(page)]);
    expect(page.of('question').map(({ of, state, id }) => `${id} ${of} ${state}`)).toEqual([
      '1 connect asked',
      '1 connect approved',
      '2 message asked',
      '2 message refused',
    ]);
    expect(page.of('answered').at(-1)).toMatchObject({ method: 'personal_sign', code: 4001 });
  });
});

describe('observers', () => {
  test('an observer that throws or leaves changes nothing for the page or for another', async () => {
    const page = open();
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const failing = page.wallet.observe(() => {
      throw new Error('of an observer');
    });
    expect(await page.request('eth_gasPrice')).toMatch(/^0x/);
    await expect.poll(() => uncaught.length).toBe(page.seen.length);
    const before = page.seen.length;
    failing();
    await page.request('eth_gasPrice');
    expect(page.seen.length).toBeGreaterThan(before);
    expect(uncaught).toHaveLength(before);
  });

  test('after the last has left nothing is reported, and a later one is heard again', async () => {
    const { wallet, request } = openPage({ networks: [{ chainId: 31, url: service.url }] });
    onTestFinished(wallet.destroy);
    const seen: WalletEvent[] = [];
    const stop = wallet.observe((event) => seen.push(event));
    await request('eth_gasPrice');
    const before = seen.length;
    expect(before).toBeGreaterThan(0);
    stop();
    await request('eth_gasPrice');
    expect(seen).toHaveLength(before);
    wallet.observe((event) => seen.push(event));
    await expect.poll(() => request('eth_gasPrice').then(() => seen.length)).toBeGreaterThan(before);
  });

  test('anything but a function is refused', () => {
    const { wallet } = open();
    expect(() => wallet.observe('console.log' as never)).toThrow('listener: expected a function');
  });
});

describe('secrets', () => {
  /** Params in which a secret is taken for text, or for bytes that are sent to the service. */
  const shapes = (secret: string, account: unknown): readonly (readonly unknown[])[] => [
    [secret],
    [secret, true],
    [account, secret],
    [secret, account],
    [account, secret, 'latest'],
    [{ from: account, to: account, data: secret }, 'latest'],
    [{ fromBlock: 'latest', topics: [secret] }],
    ['logs', { topics: [secret], resume: secret.slice(0, 64) }],
    [{ [secret]: secret, deep: [[secret]] }],
  ];
  const bytes = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((each) => `0x${Buffer.from(each).toString('hex')}`);
  const words = fc.string({ minLength: 12, maxLength: 40 }).map((text) => `planted ${text}`);

  test('none of what a page, a person or a service may put anywhere is in an event', async () => {
    const echo: Script = (response, request) => {
      const error = {
        code: -32000,
        message: `${plantedKey} of ${request.path}`,
        data: { url: request.path },
      };
      return respond(JSON.stringify({ jsonrpc: '2.0', id: request.id, error }))(response, request);
    };
    const scripted = await createScriptedService(echo);
    onTestFinished(scripted.stop);
    const page = open({ networks: [{ chainId: 31, url: scripted.url }], session: 'none' });
    await withKeys(page);
    const found: string[] = [];
    const sent = new Set<string>();
    const plant = async (name: string, secrets: readonly string[]) => {
      const stop = new AbortController();
      const before = scripted.requests.length;
      const requests = secrets.flatMap((secret) =>
        shapes(secret, addressOf(page)).map((params) =>
          page.wallet.provider.request({ method: name, params } as never, { signal: stop.signal }),
        ),
      );
      // A subscription may wait for a service that only fails.
      setTimeout(() => stop.abort(), 1_000);
      await Promise.allSettled(requests);
      const text = everythingIn(page.seen.splice(0));
      expect(text).toContain('answered');
      for (const { body } of scripted.requests.slice(before))
        if (secrets.some((secret) => body.includes(secret))) sent.add(name);
      for (const each of [...secrets, ...secrets.map((secret) => secret.slice(2, 34)), plantedKey])
        if (text.includes(each)) found.push(`${each} by ${name}`);
    };
    await fc.assert(
      fc.asyncProperty(bytes, words, async (hex, text) => {
        // A name that is itself a secret, too.
        for (const name of [...knownMethods, hex, text]) await plant(name, [hex, text]);
        expect(found).toEqual([]);
      }),
      { numRuns: 1 },
    );
    // The secrets did pass through the wallet.
    expect(sent.size).toBeGreaterThan(15);
  }, 60_000);

  test('nor is what its owner types', async () => {
    const page = open({ session: 'none' });
    await withKeys(page);
    await page.wallet.lock();
    await page.wallet.unlock('planted wrong password').catch(() => {});
    await page.wallet.unlock(password);
    expect(await page.wallet.exportMnemonic(password)).toBe(mnemonic);
    await page.request('personal_sign', ['0x68', addressOf(page)]);
    const text = everythingIn(page.seen);
    expect(text).toContain('personal_sign');
    for (const each of [password, 'planted wrong', mnemonic, new URL(service.url).pathname])
      expect(text).not.toContain(each);
  });
});
