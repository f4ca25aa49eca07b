import { explain, make, say, section } from '../dom.js';
import type { Provider, RequestFunction } from './eip1193.js';

interface Row {
  readonly times: HTMLElement;
  readonly answer: HTMLElement;
  count: number;
}

/** Lists every method that the dapp requested, with the number of requests and the latest result or error. */
export function createWire(): { through(provider: Provider): RequestFunction } {
  const rows = new Map<string, Row>();
  let total = 0;

  const rowOf = (method: string): Row => {
    const known = rows.get(method);
    if (known) return known;
    const row: Row = { times: make('td'), answer: make('td', { class: 'answer' }), count: 0 };
    section('wire').append(
      make('tr', {}, make('th', { scope: 'row' }, make('code', {}, method)), row.times, row.answer),
    );
    rows.set(method, row);
    return row;
  };

  return {
    through: (provider) => async (method, params) => {
      const row = rowOf(method);
      row.count += 1;
      total += 1;
      say(row.times, String(row.count));
      say(section('wire-count'), `${total} requests`);
      try {
        const result = await provider.request({ method, ...(params && { params }) });
        row.answer.classList.remove('failed');
        say(row.answer, excerpt(JSON.stringify(result)));
        return result;
      } catch (error) {
        row.answer.classList.add('failed');
        say(row.answer, excerpt(explain(error)));
        throw error;
      }
    },
  };
}

const excerpt = (text = 'undefined') => (text.length > 96 ? `${text.slice(0, 95)}…` : text);
