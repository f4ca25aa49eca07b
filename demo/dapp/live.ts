import { shorten, showAmount } from '../amounts.js';
import { explain, find, make, say, section } from '../dom.js';
import { readNumber, topicAddress, transferTopic } from './abi.js';
import type { Connection, Connections } from './connection.js';
import { createFeed } from './feed.js';

/** Live lists of new blocks, and of the transfers of one token. */
export interface Live {
  /** Sets the token whose transfers are listed; `null` for none. */
  follow(token: string | null): void;
  /** Calls `listener` after each new block. */
  onBlock(listener: () => void): void;
}

interface Head {
  readonly number: string;
  readonly hash: string;
  readonly gasUsed: string;
}

interface TransferLog {
  readonly topics: readonly [string, string, string];
  readonly data: string;
  readonly removed?: boolean;
}

/** The number of entries that each list keeps. */
const maxEntries = 5;
const noBlocks = 'They appear here as they are mined.';
const noToken = 'They appear here once you have deployed a token.';
const noTransfers = 'New ones appear here. Send some tokens.';

export function createLive(connections: Connections): Live {
  const listeners: (() => void)[] = [];
  const blocks = find('blocks', HTMLOListElement);
  const transfers = find('transfers', HTMLOListElement);
  const tag = section('blocks-tag');
  const heads = createFeed();
  const logs = createFeed();
  let connection: Connection | null = null;
  let followed: string | null = null;

  const mark = (live: boolean, text: string) => {
    tag.dataset.live = String(live);
    say(tag, text);
  };

  empty(blocks, noBlocks);
  empty(transfers, noToken);

  // A wallet ends its subscriptions when the chain changes.
  connections.watch((next) => {
    const isSame = next?.request === connection?.request && next?.chainId === connection?.chainId;
    connection = next;
    if (isSame) return;
    empty(blocks, noBlocks);
    mark(next !== null, next ? 'live' : 'waiting');
    if (next) heads.start(next.request, ['newHeads']).catch((error) => empty(blocks, explain(error)));
    else heads.stop();
  });

  connections.onMessage((subscription, result) => {
    if (heads.is(subscription)) {
      prepend(blocks, describeHead(result));
      for (const listener of listeners) listener();
    }
    if (logs.is(subscription)) prepend(transfers, describeTransfer(result));
  });

  return {
    follow(token) {
      if (token === followed) return;
      followed = token;
      empty(transfers, token === null ? noToken : noTransfers);
      if (token === null || !connection) return logs.stop();
      logs
        .start(connection.request, ['logs', { address: token, topics: [transferTopic] }])
        .catch((error) => empty(transfers, explain(error)));
    },
    onBlock: (listener) => void listeners.push(listener),
  };
}

function describeHead({ number, hash, gasUsed }: Head): HTMLElement[] {
  const gas = BigInt(gasUsed);
  return [
    make('b', {}, Number(number).toLocaleString('en')),
    make('code', {}, shorten(hash, 6)),
    make('span', {}, gas === 0n ? 'empty' : `${gas.toLocaleString('en')} gas`),
  ];
}

function describeTransfer({ topics, data, removed }: TransferLog): HTMLElement[] {
  const [, from, to] = topics.map(topicAddress) as [string, string, string];
  const sender = /^0x0+$/.test(from) ? 'minted' : shorten(from);
  return [
    make('b', {}, `${showAmount(readNumber(data), 3)} LEAF`),
    make('code', {}, `${sender} → ${shorten(to)}`),
    ...(removed ? [make('span', {}, 'undone')] : []),
  ];
}

function prepend(list: HTMLElement, content: readonly HTMLElement[]): void {
  list.querySelector('.empty')?.remove();
  list.prepend(make('li', {}, ...content));
  while (list.children.length > maxEntries) list.lastElementChild?.remove();
}

function empty(list: HTMLElement, text: string): void {
  list.replaceChildren(make('li', { class: 'empty' }, text));
}
