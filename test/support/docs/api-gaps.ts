import type { Described, Entry, Item } from './api-model.js';

/** Types whose functions have an example each; elsewhere one example of the type shows all of its functions. */
const shownOneByOne = new Set(['Wallet', 'Accounts', 'Payments', 'AddedNetworks', 'Bridge']);

/** What the reference does not say: a line for each export or member without a sentence, or function without an example. */
export function findGaps(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ specifier, items }) =>
    items.flatMap((item) => {
      const at = `${specifier}: ${item.name}`;
      const { members, comment, isFunction } = item;
      const isShown = comment.examples.length > 0;
      const gaps: string[] = [];
      if (comment.text === '') gaps.push(`${at} has no sentence`);
      if (isFunction && !isShown) gaps.push(`${at} has no example`);
      for (const member of members) {
        if (!isDescribed(member, item)) gaps.push(`${at}.${member.name} has no sentence`);
        if (!member.isFunction || !item.isExported) continue;
        if (member.comment.examples.length === 0 && (shownOneByOne.has(item.name) || !isShown))
          gaps.push(`${at}.${member.name} has no example`);
      }
      return gaps;
    }),
  );
}

/** Of overloads one has the sentence; of a type that is called, the type itself. */
const isDescribed = ({ name }: Described, { members, comment }: Item): boolean =>
  (name === '(call)' && comment.text !== '') ||
  members.some((each) => each.name === name && each.comment.text !== '');
