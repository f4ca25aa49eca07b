import type { Expectation, Failing, Failure } from './client.js';

/** The rows of an adapter's {@link Expected} that come in groups. */

type Ways<T> = Readonly<Record<Failing, T>>;

const mapped = <T, U>(ways: Ways<T>, map: (shown: T) => U): Ways<U> => ({
  string: map(ways.string),
  panic: map(ways.panic),
  custom: map(ways.custom),
  empty: map(ways.empty),
});

/** The rows of what a person refuses, all with one error. */
export const refusals = <T extends Expectation>(shown: T) => ({
  'connect, refused': shown,
  'sign a message, refused': shown,
  'sign typed data, refused': shown,
  'switch chain, refused': shown,
  'add a chain, refused': shown,
  'send, refused': shown,
});

/** A contract that fails in one act of the library. */
export const reverts = <Act extends 'call' | 'estimate' | 'send', T>(act: Act, ways: Ways<T>) =>
  Object.fromEntries(
    Object.entries(ways).map(([way, shown]) => [`${act} that reverts: ${way}`, shown]),
  ) as Record<Extract<Failure, `${Act} that reverts: ${string}`>, T>;

/** The seed's service gives an estimate of what fails, the node behind it none. */
export const onNode = (ways: Ways<Expectation>) =>
  mapped(ways, (node) => ({ seed: 'succeeds', node }) as const);

/** Sends of a library that does not estimate first: they are mined, and revert. */
export const succeeds: Ways<'succeeds'> = {
  string: 'succeeds',
  panic: 'succeeds',
  custom: 'succeeds',
  empty: 'succeeds',
};

/** The wallet's messages for a revert, of a library that passes them on as they are. */
export const nodeReverts = (kind: string): Ways<Expectation> =>
  mapped(
    {
      string: 'execution reverted: Reverter: said no',
      panic: 'execution reverted: panic: arithmetic overflow or underflow (0x11)',
      custom: 'execution reverted',
      empty: 'execution reverted',
    },
    (reason) => ({ class: kind, code: 3, reason }),
  );
