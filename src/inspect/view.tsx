import { useState } from 'preact/hooks';
import { type Content, h } from '../ui/h.js';
import type { Inspection } from './inspect.js';
import type { InspectedChain, Snapshot } from './snapshot.js';

/** Renders the counts of now. Texts become text nodes, so the page cannot inject markup. */
export function InspectorView({ inspection }: { readonly inspection: Inspection }): Content {
  const { methods, http, requests, chains, subscriptions, questions, permissions, tabs } =
    inspection.snapshot();
  const [filter, setFilter] = useState('');
  const isWanted = ({ method }: { readonly method: string }) =>
    method.toLowerCase().includes(filter.trim().toLowerCase());
  const shown = requests.filter(isWanted).slice(0, maxRows);

  return (
    <div class="sections">
      <header class="top">
        <h2>Inspector</h2>
        <span class="chip" data-role={tabs.leads ? 'leads' : 'follows'}>
          {roleOf(tabs)}
        </span>
        <button type="button" class="small" onClick={inspection.clear}>
          Clear
        </button>
      </header>
      <dl class="figures">
        {figure('Page requests', sum(methods.map(({ asked }) => asked)))}
        {figure('HTTP requests', http.requests)}
        {figure('Retries', http.retries)}
        {figure('Received', bytesInWords(http.bytes))}
        {figure('Quota used', http.cost)}
      </dl>
      {shares(methods)}
      {chains.map(chainSection)}
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
        'Latest page requests',
        ['Time', 'Method', 'From', 'ms', 'Code'],
        shown.map(({ id, at, method, from, ms, code }) => ({
          key: id,
          state: code === undefined ? 'good' : 'bad',
          cells: [new Date(at).toLocaleTimeString('en-GB'), method, from ?? 'open', ms ?? '…', code ?? ''],
        })),
        requests.length === 0 ? 'The page has made no requests yet.' : 'No method matches the filter.',
      )}
      {table(
        'By method',
        ['Method', 'Asked', 'Failed', 'Cache', 'Shared', 'Tab', 'Service', 'Sent', 'Cost', 'For tabs'],
        methods.filter(isWanted).map(({ method, asked, failed, from, sent, cost, served }) => ({
          key: method,
          cells: [method, asked, failed, from.cache, from.shared, from.tab, from.service, sent, cost, served],
        })),
        'No requests yet.',
      )}
      {table(
        'Subscriptions',
        ['ID', 'Kind', 'Chain', 'Delivered', 'At block', 'Resumes'],
        subscriptions.map(({ id, of, chainId, delivered, block, durable }) => ({
          key: id,
          cells: [id, of ?? 'unknown', chainId, delivered, block ?? '–', durable ? 'yes' : 'no'],
        })),
        'The page has no subscriptions.',
      )}
      {table(
        'Questions',
        ['Kind', 'Asked', 'Approved', 'Refused', 'Failed'],
        questions.map(({ of, asked, approved, refused, failed }) => ({
          key: of,
          cells: [of, asked, approved, refused, failed],
        })),
        'No questions yet.',
      )}
      {table(
        'Permissions',
        ['Site', 'Granted', 'Used', 'Short', 'Ended'],
        permissions.map(({ origin, granted, used, short, ended }) => ({
          key: origin,
          cells: [origin, granted, used, short, ended],
        })),
        'No permissions were granted or used.',
      )}
      <p class="soft">{`The leading tab has answered ${tabs.answeredByOthers} requests for this tab; this tab has answered ${tabs.served} for other tabs.`}</p>
    </div>
  );
}

/** Rows in the list; more would slow the page down. */
const maxRows = 50;

const roleOf = (tabs: Snapshot['tabs']): string => {
  if (tabs.leads) return 'leads the tabs';
  return tabs.answeredByOthers > 0 ? 'follows another tab' : 'polls for itself';
};

const figure = (name: string, value: Content): Content => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** A bar of 100 parts, behind one another. */
const bar = (parts: Content): Content => (
  <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    {parts}
  </svg>
);

const sources = ['cache', 'shared', 'tab', 'service'] as const;

/** The shares of where reads were answered, as one bar and in words. */
function shares(methods: Snapshot['methods']): Content {
  const counts = sources.map((from) => ({ from, count: sum(methods.map((each) => each.from[from])) }));
  const total = sum(counts.map(({ count }) => count));
  let x = 0;
  const parts = counts.map(({ from, count }) => {
    const width = total === 0 ? 0 : (count / total) * 100;
    const part = <rect key={from} class={from} x={x} y={0} width={width} height={4} />;
    x += width;
    return part;
  });
  return (
    <section>
      <h3>Sources of answers</h3>
      {bar(parts)}
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
}

function chainSection({ chainId, head, reorganisations, cost, served, quota }: InspectedChain): Content {
  const used = quota?.perDay ? Math.min(100, (quota.used / quota.perDay) * 100) : null;
  const words = !quota
    ? 'no quota'
    : `all tabs used ${quota.used} of ${quota.perDay ?? 'an unlimited quota'} today, ${quota.state}${
        quota.slowdown > 1 ? `, background work ${quota.slowdown} times slower` : ''
      }`;
  return (
    <section key={chainId}>
      <h3>{`Chain ${chainId}`}</h3>
      {used !== null &&
        bar(<rect class="quota" data-state={quota?.state} x={0} y={0} width={used} height={4} />)}
      <p class="soft">{`Block ${head?.number ?? '–'}, ${reorganisations} reorganisations, ${words}; this tab: cost ${cost}, ${served} requests answered for other tabs`}</p>
    </section>
  );
}

interface Row {
  readonly key: string | number;
  readonly state?: string | undefined;
  readonly cells: readonly (string | number)[];
}

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

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const bytesInWords = (bytes: number): string =>
  bytes < 10_000
    ? `${bytes} B`
    : bytes < 10_000_000
      ? `${Math.round(bytes / 1000)} kB`
      : `${Math.round(bytes / 1e6)} MB`;
