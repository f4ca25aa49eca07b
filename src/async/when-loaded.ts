import type { Lazy } from './lazy.js';

/** A lazy value that may have loaded. */
export type Loadable<T> = Pick<Lazy<T>, 'peek'> & (() => Promise<T>);

/** Passes the value to `use`: in this turn where it has loaded, else as soon as it loads. */
export function whenLoaded<T, Result>(
  loading: Loadable<T>,
  use: (value: T) => Result,
): Result | Promise<Result> {
  const loaded = loading.peek();
  return loaded === undefined ? loading().then(use) : use(loaded);
}
