import type { JournalEntry, RecordedTransaction, Wallet } from '../../src/index.js';
import { shorten, showAmount } from '../amounts.js';
import { make, say, section } from '../dom.js';
import type { Panel } from './panel.js';

const maxEntries = 5;

const states: Readonly<Record<JournalEntry['state'], string>> = {
  signed: 'Signed',
  sent: 'Sent',
  mined: 'Mined',
  reverted: 'Failed',
  replaced: 'Replaced',
  refused: 'Refused',
  abandoned: 'Given up',
};

/** The latest transactions signed in this browser, newest first, with their states. */
export function startActivity(panel: Panel): void {
  const { wallet } = panel;
  const list = section('activity');
  list.replaceChildren(make('li', { class: 'empty' }, 'Nothing signed yet.'));

  const draw = async () => {
    const { chainId, currency, explorer } = wallet.network();
    const entries = (await wallet.transactions()).filter((entry) => entry.chainId === chainId);
    if (entries.length === 0) {
      list.replaceChildren(make('li', { class: 'empty' }, 'Nothing signed yet.'));
      return;
    }
    list.replaceChildren(
      ...entries
        .slice(-maxEntries)
        .reverse()
        .map((entry) => row(wallet, entry, currency.symbol, explorer)),
    );
  };
  panel.watch(() => void draw().catch(() => undefined));
}

function row(
  wallet: Wallet,
  entry: RecordedTransaction,
  symbol: string,
  explorer: string | undefined,
): HTMLElement {
  const hash = make('code', {}, shorten(entry.hash));
  const link = explorer
    ? make('a', { href: `${explorer}/tx/${entry.hash}`, target: '_blank', rel: 'noreferrer' }, hash)
    : hash;
  return make(
    'li',
    { class: 'entry' },
    make('span', {}, make('b', {}, describe(entry, symbol)), link),
    make('span', { class: 'state-chip', 'data-state': entry.state }, states[entry.state]),
    ...details(entry, symbol).map((text) => make('small', {}, text)),
    ...(entry.hold === 'old' ? [choice(wallet, entry)] : []),
  );
}

/** The fee, the reason of a failure, and why a transaction is on hold. */
function details({ fee, reason, hold }: RecordedTransaction, symbol: string): readonly string[] {
  return [
    ...(fee === undefined ? [] : [`Fee ${showAmount(BigInt(fee))} ${symbol}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(hold === 'old' ? ['Not sent for ten minutes. Send it now, or give it up?'] : []),
    ...(hold === 'other-chain' ? ['Signed for another chain with the same id.'] : []),
    ...(hold === 'damaged' ? ['The stored transaction is damaged and is not sent.'] : []),
  ];
}

function choice(wallet: Wallet, { hash }: JournalEntry): HTMLElement {
  const act = (label: string, run: () => Promise<void>) => {
    const button = make('button', { type: 'button' }, label);
    button.addEventListener('click', () => void run().catch(() => undefined));
    return button;
  };
  return make(
    'span',
    {},
    act('Send now', () => wallet.resend(hash)),
    act('Give up', () => wallet.abandon(hash)),
  );
}

function describe({ to, data, value }: JournalEntry, symbol: string): string {
  if (to === null) return 'Deployed a contract';
  if (data === '0x') return `Sent ${showAmount(BigInt(value))} ${symbol}`;
  return data.startsWith('0xa9059cbb') ? 'Sent tokens' : 'Used a contract';
}

/** Shows how many requests a hosted service would count against its quota. */
export function showUsage(wallet: Wallet): void {
  let sent = 0;
  let shared = 0;
  for (const usage of wallet.usage().values()) {
    shared += usage.shared;
    for (const count of Object.values(usage.sent)) sent += count;
  }
  const count = (value: number) => value.toLocaleString('en');
  say(section('usage'), `${count(sent)} requests to the service, ${count(shared)} more were shared`);
}
