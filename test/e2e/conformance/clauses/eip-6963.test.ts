// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { announce } from '../../../../src/index.js';
import { openPage, type Page } from '../../../support/page.js';

/** EIP-6963: finding wallets. */

interface Detail {
  readonly info: {
    readonly uuid: string;
    readonly name: string;
    readonly icon: string;
    readonly rdns: string;
  };
  readonly provider: unknown;
}

const pages: Page[] = [];
const open = (): Page => {
  const page = openPage({ networks: [{ chainId: 31, url: 'http://127.0.0.1:1/key' }], session: 'none' });
  pages.push(page);
  return page;
};
const heard: CustomEvent<Detail>[] = [];
const hear = (event: Event) => heard.push(event as CustomEvent<Detail>);
window.addEventListener('eip6963:announceProvider', hear);
const ask = () => window.dispatchEvent(new Event('eip6963:requestProvider'));
const undos: (() => void)[] = [];
const told = (page = open()): Detail => {
  undos.push(page.wallet.announce());
  return (heard.at(-1) as CustomEvent<Detail>).detail;
};

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
  for (const page of pages.splice(0)) page.close();
  heard.length = 0;
});

test('EIP-6963 (1) info names the wallet; its uuid is of version 4, and another for each page', () => {
  const [one, two] = [told(), told()];
  const version4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(one.info).toEqual({
    uuid: expect.stringMatching(version4),
    name: 'Graft',
    icon: expect.any(String),
    rdns: expect.any(String),
  });
  expect(two.info.uuid).toMatch(version4);
  expect(two.info.uuid).not.toBe(one.info.uuid);
});

test('EIP-6963 (2) the icon is a data URI of a square image of 96 pixels', () => {
  const { icon } = told().info;
  expect(icon).toMatch(/^data:image\/svg\+xml,/);
  const image = new DOMParser().parseFromString(
    decodeURIComponent(icon.slice(icon.indexOf(',') + 1)),
    'image/svg+xml',
  ).documentElement;
  expect(image.tagName.toLowerCase()).toBe('svg');
  expect(image.getAttribute('viewBox')).toBe('0 0 96 96');
});

test('EIP-6963 (3) rdns is a reversed domain name', () => {
  const { rdns } = told().info;
  const label = '[a-z](?:[a-z\\d-]{0,61}[a-z\\d])?';
  expect(rdns).toMatch(new RegExp(`^${label}(?:\\.${label})+$`));
});

test('EIP-6963 (4) the announcement is an event at the window with a frozen detail', () => {
  const page = open();
  const detail = told(page);
  expect(heard[0]).toBeInstanceOf(CustomEvent);
  expect(Object.keys(detail).sort()).toEqual(['info', 'provider']);
  expect(detail.provider).toBe(page.provider);
  expect(Object.isFrozen(detail)).toBe(true);
});

test('EIP-6963 (5) each request of a page is answered with an announcement', () => {
  told();
  ask();
  ask();
  expect(heard).toHaveLength(3);
});

test('EIP-6963 (6) only dispatchEvent and addEventListener are used', () => {
  const added = vi.spyOn(window, 'addEventListener');
  const dispatched = vi.spyOn(window, 'dispatchEvent');
  told();
  expect(added.mock.calls.map(([type]) => type)).toEqual(['eip6963:requestProvider']);
  expect(dispatched.mock.calls.map(([event]) => event.type)).toEqual(['eip6963:announceProvider']);
  vi.restoreAllMocks();
});

test('EIP-6963 (7) it is always the same provider until announcing ends, and nothing without a window', () => {
  const page = open();
  const undo = page.wallet.announce();
  ask();
  expect(new Set(heard.map(({ detail }) => detail.provider))).toEqual(new Set([page.provider]));
  expect(new Set(heard.map(({ detail }) => detail.info.uuid)).size).toBe(1);
  undo();
  ask();
  expect(heard).toHaveLength(2);
  page.wallet.announce();
  page.close();
  ask();
  expect(heard).toHaveLength(3);
  vi.stubGlobal('window', undefined);
  expect(announce(page.provider)).toBeTypeOf('function');
  vi.unstubAllGlobals();
  expect(heard).toHaveLength(3);
});

test('EIP-6963 (8) info is frozen too', () => {
  const { info } = told();
  expect(Object.isFrozen(info)).toBe(true);
});
