import { behaviours } from './behaviours.js';

/**
 * Where the wallet of a dapp is: in its page; on an origin of its own and in a frame, where the operator lets it ask; or, by
 * default, in a window.
 */
export type Placement = 'page' | 'frame' | 'window';

const inPage = [
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

/** One of each kind for which a person is asked. */
const inWindow = [
  'connect, refused',
  'connect',
  'switch to a known chain',
  'add a chain, then switch',
  'sign a message',
  'send, nothing but the amount',
];

const isAll = process.env.CLIENTS === 'all';
const namesOf = (names: readonly string[]): readonly string[] =>
  behaviours
    .map(({ name }) => name)
    // Chromium repeats a request whose connection breaks, so that the service counts twice as many.
    .filter((name) => (isAll ? name !== 'service down' : names.includes(name)));

/**
 * The behaviours that `test/e2e/browser/clients.test.ts` runs, by name, in the order of the table. `npm run test:only clients`
 * sets `CLIENTS=all` and so runs all of them everywhere, which takes three minutes.
 */
export const chosen: Readonly<Record<Placement, readonly string[]>> = {
  page: namesOf(inPage),
  frame: namesOf(inPage),
  window: namesOf(inWindow),
};

/** Whether `npm test` runs a library there: over the bridge three of them, with `CLIENTS=all` each. */
export const runsIn = (placement: Placement, library: string): boolean =>
  isAll || placement === 'page' || ['viem', 'ethers 6', 'web3.js 4'].includes(library);
