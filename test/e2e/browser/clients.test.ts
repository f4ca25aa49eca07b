import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { type Served, servePage } from '../../support/serve.js';
import { adapters } from '../clients/adapters.js';
import { observe, type Shows } from '../clients/behaviour.js';
import { behaviours } from '../clients/behaviours.js';
import { createChains, createRig } from '../clients/rig.js';
import type { PageSettings } from './clients-page.js';
import { openInPage } from './clients-place.js';

/**
 * The libraries of the matrix where they are at home: in a page of a real browser, which finds the wallet as
 * `window.ethereum` or announced (EIP-6963), with a person at the real dialog and all that a browser keeps. Every
 * act asserts which dialogs it took: one, or none. The rest of the matrix runs in Node (`test/e2e/clients`).
 */
const chosen = [
  'connect, refused',
  'connect',
  'reconnect after a reload',
  'another account is given',
  'switch to a known chain',
  'switch to an unknown chain',
  'add a chain, then switch',
  'sign a message',
  'sign typed data',
  'send, refused',
  'send, nothing but the amount',
  'deploy',
  'read',
  'write',
  'call that reverts: string',
  'call that reverts: custom',
  'logs',
  'disconnect',
];
const observed = behaviours.filter(({ name }) => chosen.includes(name));

/** For the most part they wait, for the dialog's moment of reflection: so a few go beside each other. */
const lanes = 4;
/** ms that a behaviour may take. */
const patience = 30_000;

let served: Served;
let browser: Browser;
const results = new Map<string, Promise<Shows>>();
let ended: Promise<unknown>;

beforeAll(async () => {
  [served, browser] = await Promise.all([
    servePage({
      html: '<!doctype html><title>Libraries</title><body><script type="module" src="/test/e2e/browser/clients-page.ts"></script>',
    }),
    launchChromium(),
  ]);
  const libraries = Object.keys(adapters);
  ended = Promise.all(
    Array.from({ length: lanes }, (_, lane) => run(libraries.filter((_, index) => index % lanes === lane))),
  );
});

afterAll(async () => {
  await ended;
  await browser?.close();
  await served?.stop();
});

describe.each(Object.keys(adapters))('%s', (library) => {
  for (const { name } of observed)
    test(`${library} – ${name}`, async () => {
      const { questions } = (await results.get(`${library}: ${name}`)) as Shows;
      expect(questions, 'dialogs for one act').toBeLessThanOrEqual(1);
    });
});

test('every chosen behaviour is one of the matrix', () => {
  expect(observed.map(({ name }) => name).sort()).toEqual([...chosen].sort());
});

/** One library after the other, on the same chains; each behaviour begins when the one before has ended. */
function run(libraries: readonly string[]): Promise<void> {
  const chains = createChains('seed');
  let turn: Promise<unknown> = chains;
  for (const library of libraries as readonly PageSettings['library'][]) {
    const adapter = adapters[library] as (typeof adapters)[string];
    const inPage = openInPage({ browser, url: served.url, library });
    const open = async () => createRig({ chains: await chains, ...adapter, open: inPage });
    const opened = turn.then(open, open);
    turn = opened;
    for (const behaviour of observed) {
      const go = async () => inTime(observe(behaviour, await opened, adapter));
      const result = turn.then(go, go);
      results.set(`${library}: ${behaviour.name}`, result);
      turn = result;
    }
    const close = async () => (await opened).close();
    turn = turn.then(close, close);
  }
  const end = async () => (await chains)[Symbol.asyncDispose]();
  return turn.then(end, end);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  const lateness = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(new Error(`Nothing came of it in ${patience} ms`)));
  });
  return Promise.race([work, lateness]).finally(() => clearTimeout(timer));
}
