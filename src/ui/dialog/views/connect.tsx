import { createRef } from 'preact';
import type { ConnectQuestion } from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, h, sentence } from '../../h.js';
import { wholeAddress } from '../../pieces/address.js';
import { identicon } from '../../pieces/identicon.js';
import { collapsing, isLong } from '../../pieces/lists.js';
import { siteName } from '../../pieces/site.js';
import type { DialogWords } from '../../words/words.js';
import type { ViewOf } from './view.js';

export const connect: ViewOf<'connect'> = (question, words) => {
  const { list, chosen } = accountChoice(question, words);
  return {
    title: words.connectTitle,
    lead: sentence(words.connectLead, { site: siteName(question.origin) }),
    subject: [list],
    confirm: words.connect,
    answer() {
      const shared = chosen();
      return shared.length === 0 ? null : { approved: true, accounts: shared };
    },
  };
};

/** The accounts to share, each with a box to tick, and those that are ticked. */
export function accountChoice(
  { accounts, selected, network }: Pick<ConnectQuestion, 'accounts' | 'selected' | 'network'>,
  words: DialogWords,
  onChange?: () => void,
): { readonly list: Content; chosen(): readonly Address[] } {
  const choices = accounts.map((account) => {
    const { address, label, watchOnly } = own(account);
    const isSelected = selected.includes(address);
    const tick = createRef<HTMLInputElement>();
    const row = (
      <label class="choice">
        {identicon(address)}
        <span>
          <bdi class="name">{label}</bdi>
          {wholeAddress(address, network.chainId)}
          {watchOnly && <small>{words.watchOnly}</small>}
        </span>
        <input type="checkbox" defaultChecked={isSelected} ref={tick} onChange={onChange} />
      </label>
    );
    return { address, isSelected, tick, row };
  });
  // An account that would be shared is never among those that are collapsed.
  const rank = ({ isSelected }: { readonly isSelected: boolean }) => (isSelected ? 0 : 1);
  const ordered = isLong(choices) ? [...choices].sort((a, b) => rank(a) - rank(b)) : choices;
  return {
    list: collapsing(
      ordered,
      words,
      (part) => (
        <div class="choices" role="group" aria-label={words.connectAccounts}>
          {part.map(({ row }) => row)}
        </div>
      ),
      selected.length,
    ),
    chosen: () =>
      choices
        .filter(({ tick, isSelected }) => tick.current?.checked ?? isSelected)
        .map(({ address }) => address),
  };
}
