import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BridgeSites, serveBridgeSites } from '../../support/bridge-sites.js';
import { launchPlainChromium } from '../../support/chromium.js';
import { adapters } from '../clients/adapters.js';
import { observe, type Shows } from '../clients/behaviour.js';
import { behaviours } from '../clients/behaviours.js';
import { chosen, type Placement, runsIn } from '../clients/placements.js';
import { createChains, createRig } from '../clients/rig.js';
import { pages, readCounts } from '../clients/table.js';
import type { PageSettings } from './clients-page.js';
import { openInBrowser } from './clients-place.js';

/**
 * The libraries of the matrix where they are at home: in a page of a real browser, which finds the wallet as
 * `window.ethereum` or announced (EIP-6963), with a person at the real dialog and all that a browser keeps. The wallet is
 * in the page, or over the bridge on an origin of its own: the library must not notice. What each act costs is what the
 * rest of the matrix has found in Node (`test/e2e/clients`).
 */
const documented = readCounts(
  readFileSync(new URL(`../../../docs/${pages.seed}`, import.meta.url), 'utf8'),
  Object.keys(adapters),
);

type Library = PageSettings['library'];
const libraries = Object.keys(adapters) as Library[];
const placements = Object.keys(chosen) as Placement[];
const librariesIn = (placement: Placement) => libraries.filter((library) => runsIn(placement, library));
const behavioursIn = (placement: Placement) =>
  behaviours.filter(({ name }) => chosen[placement].includes(name));

/** For the most part they wait, for the dialog's moment of reflection: so a few go beside each other. */
const lanes = 4;
/** ms that a behaviour may take. */
const patience = 30_000;

let sites: BridgeSites;
let browser: Browser;
const results = new Map<string, Promise<Shows>>();
let ended: Promise<unknown>;

beforeAll(async () => {
  [sites, browser] = await Promise.all([
    serveBridgeSites({
      modules: {
        dapp: 'test/e2e/browser/clients-page.ts',
        wallet: 'test/e2e/browser/clients-wallet-page.ts',
      },
    }),
    launchPlainChromium(),
  ]);
  const runs = placements.flatMap((placement) =>
    librariesIn(placement).map((library) => ({ placement, library })),
  );
  ended = Promise.all(
    Array.from({ length: lanes }, (_, lane) => runAll(runs.filter((_, index) => index % lanes === lane))),
  );
});

afterAll(async () => {
  await ended;
  await browser?.close();
  await sites?.stop();
});

describe.each(placements)('with the wallet in a %s', (placement) => {
  describe.each(librariesIn(placement))('%s', (library) => {
    for (const { name } of behavioursIn(placement))
      test(`${library} – ${name}`, { timeout: 300_000 }, async () => {
        const { requests, questions } = (await results.get(`${placement} ${library} ${name}`)) as Shows;
        const counts = documented(library, name);
        expect({ requests, questions }, 'as documented').toEqual(counts);
      });
  });
});

/** One run after the other, on the same chains; each behaviour begins when the one before has ended. */
function runAll(runs: readonly Pick<openInBrowser.Options, 'placement' | 'library'>[]): Promise<void> {
  const chains = createChains('seed');
  let turn: Promise<unknown> = chains;
  for (const { placement, library } of runs) {
    const adapter = adapters[library] as (typeof adapters)[string];
    const inBrowser = openInBrowser({ browser, sites, library, placement });
    const open = async () => createRig({ chains: await chains, library: adapter, open: inBrowser });
    const opened = turn.then(open, open);
    turn = opened;
    for (const behaviour of behavioursIn(placement)) {
      const go = async () => inTime(observe(behaviour, await opened, adapter));
      const result = turn.then(go, go);
      results.set(`${placement} ${library} ${behaviour.name}`, result);
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
