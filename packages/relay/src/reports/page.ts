import { type MetricsSnapshot, totalOf } from './metrics.js';

/**
 * The status page: a document without script. It shows what the service's own dashboard shows, success rate, requests in
 * all and by method, and the day's quota, and what the relay saved.
 */
export function statusPage({ chains, connections, subscriptions, dropped }: MetricsSnapshot): string {
  const sections = chains.map(chainSection).join('');
  const row = (name: string, value: number) =>
    `<tr><th>${escapeHtml(name)}</th><td>${count(value)}</td></tr>`;
  const table = (title: string, values: Readonly<Record<string, number>>) =>
    `<table><caption>${title}</caption>${Object.entries(values)
      .map(([name, value]) => row(name, value))
      .join('')}</table>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10">
<title>Graft relay</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  table { border-collapse: collapse; margin: 0 0 1.5rem }
  caption { text-align: left; font-weight: 600; padding: .25rem 0 }
  th, td { text-align: left; padding: .1rem 1.5rem .1rem 0; font-weight: 400; border-top: 1px solid #8884 }
  td { text-align: right; font-variant-numeric: tabular-nums }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.5rem }
  dd { margin: 0 }
</style>
<h1>Graft relay</h1>
${sections}<h2>Clients</h2>
${table('Connections', connections)}${table('Subscriptions', subscriptions)}${table('Dropped', dropped)}</html>
`;
}

function chainSection(chain: MetricsSnapshot['chains'][number]): string {
  const { chainId, height, age, interval, quota, requests, upstream, succeeded, reorganisations } = chain;
  const sent = sum(Object.values(upstream));
  const asked = sum(Object.values(requests).map(totalOf));
  const saved = sum(Object.values(requests).map(({ hit, shared }) => hit + shared));
  const facts: [string, string][] = [
    ['Newest block', height === null ? 'not known yet' : count(height)],
    ['Last poll', age === null ? 'none yet' : `${Math.round(age / 1000)} s ago, every ${interval / 1000} s`],
    [
      'Success rate',
      sent === 0 ? 'no request yet' : `${((100 * succeeded) / sent).toFixed(1)} % of ${count(sent)} requests`,
    ],
    ['Quota of today', quotaText(quota)],
    ['Requests of clients', count(asked)],
    ['Saved', `${count(saved)} answered from memory or shared`],
    ['Reorganisations', count(reorganisations)],
  ];
  const methods = [...new Set([...Object.keys(requests), ...Object.keys(upstream)])].sort();
  const rows = methods.map((method) => {
    const own = requests[method];
    const cells = [own ? totalOf(own) : 0, own ? own.hit + own.shared : 0, upstream[method] ?? 0];
    return `<tr><th>${escapeHtml(method)}</th>${cells.map((each) => `<td>${count(each)}</td>`).join('')}</tr>`;
  });
  return `<h2>Chain ${count(chainId)}</h2>
<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<table><caption>By method</caption><tr><th>Method</th><td>asked</td><td>saved</td><td>sent to the service</td></tr>${rows.join('')}</table>
`;
}

function quotaText(quota: MetricsSnapshot['chains'][number]['quota']): string {
  if (!quota) return 'not known yet';
  if (quota.perDay === null) return `${count(quota.today)}, without a limit`;
  const share = Math.round((100 * quota.today) / quota.perDay);
  return `${count(quota.today)} of ${count(quota.perDay)} (${share} %), ${quota.state}`;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

/** With thin spaces between groups of three digits. */
const count = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
