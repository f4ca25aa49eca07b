import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import type { WalletEvent } from '../rpc/observation.js';
import { type Content, h } from '../ui/h.js';
import type { InspectedChain, InspectedRequest, Snapshot } from './snapshot.js';

interface Properties {
  readonly snapshot: Snapshot;
  readonly clear: () => void;
}

/** Renders one snapshot in the inspector. Texts become text nodes, so the page cannot inject markup. */
export const InspectorView: FunctionComponent<Properties> = ({ snapshot, clear }) => {
  const { methods, http, requests, chains, subscriptions, questions, tabs } = snapshot;
  const [filter, setFilter] = useState('');
  const isWanted = ({ method }: { readonly method: string }) =>
    method.toLowerCase().includes(filter.trim().toLowerCase());
  const shown = requests.filter(isWanted).slice(0, mostShown);

  return (
    <div class="sections">
      <header class="top">
        <h2>Inspector</h2>
        <span class="chip" data-role={tabs.leads ? 'leads' : 'follows'}>
          {roleOf(snapshot)}
        </span>
        <button type="button" class="small" onClick={clear}>
          Clear
        </button>
      </header>
      <dl class="figures">
        {figure('Requests of the page', sum(methods.map(({ asked }) => asked)))}
        {figure('HTTP requests', http.requests)}
        {figure('Retries', http.retries)}
        {figure('Received', bytesInWords(http.bytes))}
        {figure('Cost to the quota', http.cost)}
      </dl>
      <Shares methods={methods} />
      {chains.map((chain) => (
        <Chain key={chain.chainId} chain={chain} />
      ))}
      <div class="field">
        <label for="filter">Filter by method</label>
        <input
          id="filter"
          type="search"
          autocomplete="off"
          spellcheck="false"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </div>
      {table(
        'Newest requests of the page',
        ['Time', 'Method', 'From', 'ms', 'Code'],
        shown.map(requestRow),
        requests.length === 0 ? 'The page has asked for nothing yet.' : 'No method matches the filter.',
      )}
      {table(
        'By method',
        ['Method', 'Asked', 'Failed', 'Cache', 'Shared', 'Tab', 'Service', 'Sent', 'Cost', 'For tabs'],
        methods.filter(isWanted).map(({ method, asked, failed, from, sent, cost, served }) => ({
          key: method,
          cells: [method, asked, failed, from.cache, from.shared, from.tab, from.service, sent, cost, served],
        })),
        'Nothing yet.',
      )}
      {table(
        'Subscriptions',
        ['Id', 'Of', 'Chain', 'Delivered', 'At block', 'Resumes'],
        subscriptions.map(({ id, of, chainId, delivered, block, durable }) => ({
          key: id,
          cells: [id, of ?? 'unknown', chainId, delivered, block ?? '–', durable ? 'yes' : 'no'],
        })),
        'The page has none.',
      )}
      {table(
        'Questions to the person',
        ['Kind', 'Asked', 'Approved', 'Refused', 'Failed'],
        questions.map(({ of, asked, approved, refused, failed }) => ({
          key: of,
          cells: [of, asked, approved, refused, failed],
        })),
        'None yet.',
      )}
      <p class="soft">{`Tabs: ${tabs.answeredByOthers} requests of this tab answered by the leading one, ${tabs.served} of other tabs answered here.`}</p>
    </div>
  );
};

/** Rows in the list; more would slow the page down. */
const mostShown = 50;

const roleOf = ({ tabs }: Snapshot): string => {
  if (tabs.leads) return 'leads the tabs';
  return tabs.answeredByOthers > 0 ? 'follows another tab' : 'polls for itself';
};

const figure = (name: string, value: Content): Content => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The shares of where reads were answered, as one bar and in words. */
const Shares: FunctionComponent<{ readonly methods: Snapshot['methods'] }> = ({ methods }) => {
  const counts = froms.map((from) => ({ from, count: sum(methods.map((each) => each.from[from])) }));
  const total = sum(counts.map(({ count }) => count));
  let x = 0;
  const bars = counts.map(({ from, count }) => {
    const width = total === 0 ? 0 : (count / total) * 100;
    const bar = <rect key={from} class={from} x={x} y={0} width={width} height={4} />;
    x += width;
    return bar;
  });
  return (
    <section>
      <h3>Where reads were answered</h3>
      <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {bars}
      </svg>
      <ul class="legend">
        {counts.map(({ from, count }) => (
          <li key={from}>
            <i class={from} />
            {`${from} ${count}`}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Chain: FunctionComponent<{ readonly chain: InspectedChain }> = ({ chain }) => {
  const { chainId, head, reorganisations, cost, served, quota } = chain;
  const used = quota?.perDay ? Math.min(100, (quota.used / quota.perDay) * 100) : 0;
  const words = !quota
    ? 'no quota'
    : `${quota.used} of ${quota.perDay ?? 'no limit'} requests of all tabs today, ${quota.state}${
        quota.slowdown > 1 ? `, background work ${quota.slowdown} times slower` : ''
      }`;
  return (
    <section>
      <h3>{`Chain ${chainId}`}</h3>
      {quota?.perDay ? (
        <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect class="quota" data-state={quota.state} x={0} y={0} width={used} height={4} />
        </svg>
      ) : null}
      <p class="soft">{`Block ${head?.number ?? '–'}, ${reorganisations} reorganisations, ${words}; this tab: cost ${cost}, ${served} requests of other tabs answered`}</p>
    </section>
  );
};

interface Row {
  readonly key: string | number;
  readonly state?: string;
  readonly cells: readonly (string | number)[];
}

const requestRow = ({ id, at, method, from, ms, code }: InspectedRequest): Row => ({
  key: id,
  state: code === undefined ? 'good' : 'bad',
  cells: [new Date(at).toLocaleTimeString('en-GB'), method, from ?? 'open', ms ?? '…', code ?? ''],
});

function table(caption: string, names: readonly string[], rows: readonly Row[], empty: string): Content {
  return (
    <section>
      <h3>{caption}</h3>
      {rows.length === 0 ? (
        <p class="soft">{empty}</p>
      ) : (
        <div
          // Scrolls by keyboard too.
          class="scroll"
          tabindex={0}
          role="region"
          aria-label={caption}
        >
          <table>
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, state, cells }) => (
                <tr key={key} data-state={state}>
                  {cells.map((cell, column) => (
                    <td key={names[column] ?? column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const froms = ['cache', 'shared', 'tab', 'service'] as const satisfies readonly WalletEvent.Source[];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const bytesInWords = (bytes: number): string =>
  bytes < 10_000
    ? `${bytes} B`
    : bytes < 10_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${Math.round(bytes / 1e6)} MB`;
