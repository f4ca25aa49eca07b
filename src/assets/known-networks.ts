import { isNearlySame, likeness } from './likeness.js';

/** Names that mean a Rootstock network. */
const names: readonly string[] = [
  'Rootstock',
  'Rootstock Mainnet',
  'Rootstock Testnet',
  'Rootstock Local',
  'RSK',
  'RSK Mainnet',
  'RSK Testnet',
];
const symbols: readonly string[] = ['RBTC', 'tRBTC'];
const chainIds: readonly number[] = [30, 31, 33];

/** Whether name and currency of this chain are the wallet's own. */
export const isRootstock = (chainId: number): boolean => chainIds.includes(chainId);

/**
 * Finds the name of another network, of the wallet or of Rootstock, that a person cannot tell from this network's name.
 * `null` for a distinct name.
 *
 * @param others names of networks with other chain ids
 */
export const sameNetworkName = (name: string, others: readonly string[]): string | null =>
  [...names, ...others].find((each) => looks(each) === looks(name)) ?? null;

/** The name or symbol of Rootstock that a network with another chain id may be mistaken for; `null` for none. */
export function resembledNetwork(name: string, symbol: string): string | null {
  const isSimilar = (each: string) =>
    each.length > 6 && (looks(name).includes(looks(each)) || isNearlySame(looks(name), looks(each)));
  const near = wordsOf(name);
  return (
    names.find(isSimilar) ??
    (near.some((each) => isNearlySame(each, rootstock) || isNearlySame(each.slice(0, 9), rootstock))
      ? 'Rootstock'
      : null) ??
    (near.some((each) => each.startsWith('rsk')) ? 'RSK' : null) ??
    symbols.find((each) => looks(each) === looks(symbol)) ??
    null
  );
}

const rootstock = 'rootstock';

/** The words of a name as they look, and neighbours as one: `R S K` is `rsk` too. A capital behind a small letter begins a word. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[\s\p{P}]+/u)
    .map(looks);
  return words.flatMap((word, i) => {
    const runs = [word];
    for (const next of words.slice(i + 1, i + 10)) runs.push(runs.at(-1) + next);
    return runs;
  });
}

/** The likeness of a name, in which capitals make no difference. */
const looks = (text: string): string => likeness(text).replaceAll('l', 'i');
