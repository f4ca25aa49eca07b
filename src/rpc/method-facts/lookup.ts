import { own } from '../own.js';
import type { MethodFacts } from './row.js';

/** The rows by name. A map of objects without a prototype, so that nothing inherited is found. */
export const rowsByName = (rows: Readonly<Record<string, MethodFacts>>): ReadonlyMap<string, MethodFacts> =>
  new Map(Object.entries(rows).map(([name, facts]) => [name, own(facts)]));

/** The facts of a method without a row, as its name shows them: a relay may pass it on, or a newer wallet have it. */
export function unlistedFacts(name: string): MethodFacts {
  if (/^eth_send/.test(name)) return own({ effect: 'send', isOnce: true });
  if (/^evm_/.test(name)) return own({ effect: 'develop', isOnce: true });
  if (/^(eth_(submit|getWork|new|uninstall)|mnr_submit|personal_|sco_(un)?ban)/.test(name))
    return own({ isOnce: true });
  return own(
    /^(eth_(sign|decrypt|getEncryption)|wallet_(request|switch|add|watch|show|send))/.test(name)
      ? { asksPerson: true }
      : {},
  );
}
