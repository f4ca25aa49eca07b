import { expect, test } from 'vitest';
import { createNetworks, type NetworkOptions } from '../../../src/service/networks.js';
import { plantedKey } from '../../support/scripted-service.js';
import { everythingIn } from '../../support/secrecy.js';

const url = `https://rpc.testnet.rootstock.io/${plantedKey}`;
const refusalOf = (options: unknown) => {
  try {
    createNetworks(options as NetworkOptions[]);
  } catch (error) {
    return error as Error & { code: number };
  }
  throw new Error('not refused');
};

test('knows Rootstock mainnet, testnet and a local chain', () => {
  const [main, test, local] = createNetworks([
    { chainId: 30, url },
    { chainId: 31, url: [url, 'https://public-node.testnet.rsk.co'] },
    { chainId: 33, url: 'http://127.0.0.1:4444/dev' },
  ]);
  expect(main).toEqual({
    chainId: 30,
    name: 'Rootstock Mainnet',
    currency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
    coinType: 137,
    testnet: false,
    explorer: 'https://explorer.rootstock.io',
    urls: [url],
  });
  expect(test).toMatchObject({
    name: 'Rootstock Testnet',
    currency: { symbol: 'tRBTC' },
    coinType: 37310,
    testnet: true,
  });
  expect(test?.urls).toEqual([url, 'https://public-node.testnet.rsk.co/']);
  expect(local).toMatchObject({
    name: 'Rootstock Local',
    currency: { symbol: 'tRBTC' },
    coinType: 37310,
    testnet: true,
  });
  expect(local).not.toHaveProperty('explorer');
});

test('name, currency and explorer override what is known', () => {
  const currency = { name: 'X', symbol: 'X', decimals: 6 };
  const [network] = createNetworks([
    { chainId: 31, url, name: 'Mine', currency, explorer: 'https://e.example/' },
  ]);
  expect(network).toMatchObject({ name: 'Mine', currency, explorer: 'https://e.example', coinType: 37310 });
});

test('chainId, an unknown one needs name and currency and is not called a test network', () => {
  const currency = { name: 'X', symbol: 'X', decimals: 18 };
  expect(createNetworks([{ chainId: 7, url, name: 'Seven', currency }])[0]).toMatchObject({
    chainId: 7,
    testnet: false,
  });
  expect(refusalOf([{ chainId: 7, url, currency }]).message).toContain('networks[0].name');
  expect(refusalOf([{ chainId: 7, url, name: 'Seven' }]).message).toContain('networks[0].currency');
});

test.each([
  'http://localhost:1/k',
  'http://dev.localhost/k',
  'http://127.9.9.9/k',
  'http://0x7f.1/k',
  'http://[::1]:8545/k',
])('url, %s is on this machine', (each) => {
  expect(createNetworks([{ chainId: 33, url: each }])[0]?.urls[0]).toBe(new URL(each).href);
});

test.each([
  `http://rpc.example/${plantedKey}`,
  `http://127.0.0.1.example/${plantedKey}`,
  `http://localhost.example/${plantedKey}`,
  `http://10.0.0.1/${plantedKey}`,
  `http://[::2]/${plantedKey}`,
  `ws://localhost/${plantedKey}`,
  `file:///etc/${plantedKey}`,
  `javascript:alert("${plantedKey}")`,
  `https://${plantedKey}:x@rpc.example/`,
  `https://:${plantedKey}@rpc.example/`,
  `https://`,
  `rpc.example/${plantedKey}`,
  '',
  7,
  null,
  undefined,
])('-32602 for the URL %j, which is not shown', (each) => {
  const refusal = refusalOf([{ chainId: 31, url: ['https://ok.example/', each] }]);
  expect(refusal.code).toBe(-32602);
  expect(refusal.message).toContain('networks[0].url[1]');
  expect(everythingIn(refusal)).not.toContain(plantedKey);
});

test.each([
  [undefined, 'networks'],
  [[], 'networks'],
  [[{ chainId: 31, url: [] }], 'url'],
  [[{ chainId: 0, url }], 'chainId'],
  [[{ chainId: '0x1f', url }], 'chainId'],
  [
    [
      { chainId: 31, url },
      { chainId: 31, url },
    ],
    'networks[1].chainId',
  ],
  [[{ chainId: 31, url, currency: { name: 'X', symbol: 'X', decimals: -1 } }], 'currency'],
  [[{ chainId: 31, url, explorer: 'javascript:alert(1)' }], 'explorer'],
])('-32602 for %j', (options, path) => {
  expect(refusalOf(options)).toMatchObject({
    code: -32602,
    message: expect.stringContaining(path as string),
  });
});

test.each([
  'wss://relay.example/31',
  `wss://relay.example/${plantedKey}?a=b`,
  'ws://localhost:1/k',
  'ws://127.0.0.1:8545/31',
])('push, %s pushes heads', (push) => {
  expect(createNetworks([{ chainId: 31, url, push }])[0]?.push).toBe(new URL(push).href);
});

test.each([
  `ws://relay.example/${plantedKey}`,
  `https://relay.example/${plantedKey}`,
  `wss://${plantedKey}:x@relay.example/`,
  plantedKey,
  '',
  7,
  null,
])('-32602 for the push URL %j, which is not shown', (push) => {
  const refusal = refusalOf([{ chainId: 31, url, push }]);
  expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining('networks[0].push') });
  expect(everythingIn(refusal)).not.toContain(plantedKey);
});

test('poll, a filter or the head, which is the default', () => {
  expect(createNetworks([{ chainId: 31, url, poll: 'filter' }])[0]?.poll).toBe('filter');
  expect(createNetworks([{ chainId: 31, url, poll: 'head' }])[0]).not.toHaveProperty('poll');
  expect(refusalOf([{ chainId: 31, url, poll: 'often' }]).message).toContain('networks[0].poll');
});

test('push and poll are own properties of the options, or absent', () => {
  const polluted = { push: `wss://evil.example/${plantedKey}`, poll: 'filter' };
  Object.assign(Object.prototype, polluted);
  try {
    const [network] = createNetworks([{ chainId: 31, url }]);
    expect([network?.push, network?.poll]).toEqual([undefined, undefined]);
  } finally {
    for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
  }
});

test.each([
  [{ verify: 'work' }, undefined],
  [{ verify: 'work', floor: 7n }, '0x7'],
  [{ verify: 'work', floor: '0xAb' }, '0xAb'],
  [{ verify: undefined, floor: undefined }, undefined],
])('verify, %o is taken over', (options, floor) => {
  const [network] = createNetworks([{ chainId: 31, url, ...options } as NetworkOptions]);
  expect([network?.verify, network?.floor]).toEqual([options.verify, floor]);
});

test.each([
  ['verify', ''],
  ['verify', 0],
  ['verify', null],
  ['verify', false],
  ['verify', 'Work'],
  ['verify', 'bitcoin'],
  ['floor', null],
  ['floor', Number.NaN],
  ['floor', 0],
  ['floor', 5],
  ['floor', ''],
  ['floor', false],
  ['floor', 0n],
  ['floor', -5n],
  ['floor', 2n ** 260n],
  ['floor', '0x'],
  ['floor', '0x0'],
  ['floor', '0x1zz'],
  ['floor', '0x1 '],
  ['floor', '0x1\n'],
  ['floor', ['0x5']],
  ['floor', { toString: () => '0x5' }],
])('-32602 for %s: %o', (name, value) => {
  const refusal = refusalOf([{ chainId: 31, url, verify: 'work', [name]: value }]);
  expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining(`networks[0].${name}`) });
});

test('a floor without verify is -32602', () => {
  expect(refusalOf([{ chainId: 31, url, floor: 5n }]).message).toContain('networks[0].floor');
});
