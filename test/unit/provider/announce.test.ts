// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { announce } from '../../../src/provider/announce.js';
import type { Provider } from '../../../src/provider/provider.js';

const provider = { isGraft: true } as Provider;
const page = window as unknown as { ethereum?: unknown };

let undo = () => {};
afterEach(() => {
  undo();
  delete page.ethereum;
});

function listen(): CustomEvent['detail'][] {
  const heard: CustomEvent['detail'][] = [];
  window.addEventListener('eip6963:announceProvider', (event) => heard.push((event as CustomEvent).detail));
  return heard;
}

test('an announcement has the provider, and an id, a name, an icon and an rdns', () => {
  const heard = listen();
  undo = announce(provider);
  expect(heard).toHaveLength(1);
  expect(heard[0].provider).toBe(provider);
  expect(heard[0].info).toEqual({
    uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    name: 'Graft',
    icon: expect.stringMatching(/^data:image\/svg\+xml,/),
    rdns: 'io.github.graft-wallet',
  });
  expect(Object.isFrozen(heard[0]) && Object.isFrozen(heard[0].info)).toBe(true);
  expect(page.ethereum).toBeUndefined();
});

test('isMetaMask, for dapps that serve no other', () => {
  const named = { isGraft: true } as Provider & { isMetaMask?: true };
  undo = announce(named, { isMetaMask: true });
  expect(named.isMetaMask).toBe(true);
  expect(provider).not.toHaveProperty('isMetaMask');
});

test('each request is answered with the same identity, until it is undone', () => {
  const heard = listen();
  undo = announce(provider);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  expect(heard).toHaveLength(2);
  expect(heard[1].info.uuid).toBe(heard[0].info.uuid);
  undo();
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  expect(heard).toHaveLength(2);
});

test('a provider that is announced again keeps its id, and another provider has its own', () => {
  const heard = listen();
  announce(provider)();
  announce(provider, { name: 'Another name' })();
  announce({ isGraft: true } as Provider)();
  const [first, again, other] = heard.map(({ info }) => info.uuid);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('window', () => {
  const initialized: Event[] = [];
  window.addEventListener('ethereum#initialized', (event) => initialized.push(event));
  undo = announce(provider, { window: true });
  expect(page.ethereum).toBe(provider);
  expect(initialized).toHaveLength(1);
  undo();
  expect('ethereum' in page).toBe(false);
});

test('another wallet stays where it is, and its list gains one', () => {
  const other = { providers: [] as unknown[] };
  page.ethereum = other;
  undo = announce(provider, { window: true });
  expect(page.ethereum).toBe(other);
  expect(other.providers).toEqual([provider]);
  undo();
  expect(other.providers).toEqual([]);
});

test('a window.ethereum that throws or is sealed', () => {
  const heard = listen();
  Object.defineProperty(page, 'ethereum', {
    configurable: true,
    get() {
      throw new Error('mine');
    },
  });
  undo = announce(provider, { window: true });
  expect(heard).toHaveLength(1);
});
