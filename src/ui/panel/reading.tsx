import { useEffect, useRef, useState } from 'preact/hooks';
import type { Received } from '../../received/received.js';
import { own } from '../../rpc/own.js';
import { type Content, Fragment, fill, h } from '../h.js';
import { formatDay } from '../pieces/amounts.js';
import { button, link } from '../pieces/fields.js';
import { errorLine, statusLine } from '../pieces/lines.js';
import type { PanelWords } from '../words/words.js';
import type { Panel } from './context.js';
import type { PanelWallet } from './wallet.js';

/** The last reading of the chain, and whether another one runs. */
export interface IncomingReading {
  /** Absent before the first reading has ended. */
  readonly value: Received | undefined;
  readonly isRunning: boolean;
  /** The kind of the last reading, where it failed. */
  readonly failed: ReadingKind | null;
  read(kind: ReadingKind): void;
}

/** Reads what came since the last visit, or blocks before that. */
type ReadingKind = 'newest' | 'further';

/** Milliseconds between two readings while a view shows them: each costs several requests. */
const readInterval = 300_000;
/** Milliseconds in which a view that opens again reads nothing: about a block. */
const blockInterval = 30_000;

interface LastReading {
  /** Its network and accounts. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: Received;
}

/** The last one of each wallet, so that a view that opens again shows it at once. */
const lastReadings = new WeakMap<PanelWallet, LastReading>();

/**
 * Reads what came in to all accounts of the wallet, or to the shown account that the person only looks at, when a view opens, and
 * every five minutes while it is open.
 *
 * @param isDue `false` while the view waits for something that it shows first
 */
export function useReceived(
  { wallet, network, accounts, account, version }: Panel,
  isDue = true,
): IncomingReading {
  const concerned = account?.watchOnly ? [account] : accounts.filter(({ watchOnly }) => !watchOnly);
  const key = [network.chainId, ...concerned.map(({ address }) => address)].join();
  const kept = lastReadings.get(wallet);
  const last = kept?.key === key ? kept : null;
  const [state, set] = useState<Omit<IncomingReading, 'read'>>({
    value: last?.value,
    isRunning: false,
    failed: null,
  });
  /** The last try, and for how many milliseconds it is enough. */
  const tried = useRef({ key, at: last?.at ?? 0, lasts: blockInterval });

  const read = async (kind: ReadingKind) => {
    if (state.isRunning) return;
    tried.current = { key, at: Date.now(), lasts: readInterval };
    set(({ value }) => ({ value, isRunning: true, failed: null }));
    try {
      const value = ownReceived(
        await wallet.received(
          own({ further: kind === 'further', ...(account?.watchOnly && { account: account.address }) }),
        ),
      );
      lastReadings.set(wallet, { key, at: Date.now(), value });
      set({ value, isRunning: false, failed: null });
    } catch {
      set(({ value }) => ({ value, isRunning: false, failed: kind }));
    }
  };

  useEffect(() => {
    const { at, lasts } = tried.current;
    if (!isDue) return;
    if (tried.current.key !== key || Date.now() - at >= lasts) void read('newest');
  }, [key, version, isDue]);
  return { ...state, read };
}

const ownReceived = (received: Received): Received => {
  const { payments, changes } = received;
  return own({ ...received, payments: payments.map(own), changes: changes.map(own) });
};

interface ReadingProperties {
  readonly reading: IncomingReading;
  readonly words: PanelWords;
}

/** Says that the first reading of a view failed, and offers it again. */
export const ReadingFailed = ({ reading, words }: ReadingProperties): Content => (
  <>
    {errorLine(words.receivedFailed)}
    <p class="links">{link(words.readAgain, () => reading.read('newest'))}</p>
  </>
);

/** Says from when on everything is known, and offers to read more. */
export function ReadFurther({ reading, words }: ReadingProperties): Content {
  const { value, isRunning, failed, read } = reading;
  if (!value) return null;
  const { since, hasGap } = value;
  const isWhole = since !== null && BigInt(since.blockNumber) <= 1n && !hasGap;
  return (
    <>
      <p class="soft">
        {since && fill(words.knownSince, { date: formatDay(since.at, words) })}
        {hasGap && ` ${words.unreadBlocks}`}
      </p>
      {failed === 'further' && errorLine(words.receivedFailed)}
      {isRunning && statusLine(words.readingReceived)}
      {!isWhole && (
        <p class="links">
          {button(hasGap ? words.readBlocks : words.lookBack, () => read('further'), {
            class: 'link',
            'aria-disabled': isRunning ? 'true' : undefined,
          })}
        </p>
      )}
    </>
  );
}
