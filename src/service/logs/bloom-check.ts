import { bloomBits, bloomHas, bloomOf, isBloom } from '../../rpc/bloom.js';
import { createMatcher } from '../../rpc/matcher.js';
import { alternatives } from '../../rpc/matches.js';
import { own } from '../../rpc/own.js';
import type { Hex, Log, LogCriteria } from '../../rpc/schema.js';

/**
 * Lists of logs against the bloom of their block: a node may leave out the logs of a transaction without an error
 * (https://github.com/rsksmart/rskj/issues/1600).
 */

/** Whether these are all logs of the block, none more and none less. True for a block without a bloom. */
export const areAllLogs = (logs: readonly Log[], bloom: Hex | null | undefined): boolean =>
  !isTelling(bloom) || bloomOf(valuesOf(logs)) === bloom.toLowerCase();

/** Whether a bloom says anything: some chains set every bit. */
const isTelling = (bloom: Hex | null | undefined): bloom is Hex => isBloom(bloom) && !/^0xf*$/i.test(bloom);

/**
 * Whether a list of a block's logs that match `criteria` contradicts the bloom of the block: it has a log that the bloom
 * excludes, or none of a value that the bloom has. A block whose bloom has the criteria's values by chance, or in other
 * logs, looks the same: only the list of all its logs decides ({@link areAllLogs}).
 */
export function contradictsBloom(
  logs: readonly Log[],
  bloom: Hex | null | undefined,
  criteria: LogCriteria,
): boolean {
  if (!isTelling(bloom)) return false;
  if (valuesOf(logs).some((value) => !bloomHas(bloom, bloomBits(value)))) return true;
  const { address, topics = [] } = own(criteria);
  const addresses = alternatives(address);
  const hasTopics = topics.some((topic) => alternatives(topic).length > 0);
  if (!hasTopics && addresses.length === 0) return !areAllLogs(logs, bloom);
  if (logs.length === 0) return createMatcher(criteria).mayMatch(bloom);
  // A topic may be in the bloom because of logs that do not match; an address is there because of its own logs.
  const found = new Set(logs.map((log) => log.address.toLowerCase()));
  return !hasTopics && addresses.some((each) => !found.has(each) && bloomHas(bloom, bloomBits(each)));
}

/** The addresses and topics that logs add to a bloom. */
const valuesOf = (logs: readonly Log[]): readonly Hex[] => [
  ...new Set(logs.flatMap(({ address, topics }) => [address, ...topics])),
];
