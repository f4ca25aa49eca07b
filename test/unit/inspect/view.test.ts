// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import type { WalletEvent } from '../../../src/index.js';
import { inspect } from '../../../src/inspect/index.js';
import { InspectorView } from '../../../src/inspect/view.js';
import { h, render } from '../../../src/ui/h.js';

afterEach(() => render(null, document.body));

/** The view of these events. */
function show(events: readonly WalletEvent[]): void {
  const inspection = inspect({
    observe(listener) {
      events.forEach(listener);
      return () => {};
    },
  });
  render(h(InspectorView, { inspection }), document.body);
}

test('the counts of permissions are a row for each site', () => {
  show([]);
  expect(document.body.textContent).toContain('No permissions were granted or used.');
  const base = { kind: 'permission', at: 1, chainId: 31, context: `0x${'1'.repeat(64)}` } as const;
  show([
    { ...base, what: 'granted', origin: 'https://chess.example' },
    { ...base, what: 'used', origin: 'https://chess.example' },
    { ...base, what: 'used', origin: 'https://chess.example' },
    { ...base, what: 'ended', origin: 'https://shop.example' },
  ]);
  const table = document.querySelector('[aria-label=Permissions] table') as HTMLTableElement;
  expect(Array.from(table.rows, (row) => Array.from(row.cells, (cell) => cell.textContent))).toEqual([
    ['Site', 'Granted', 'Used', 'Short', 'Ended'],
    ['https://chess.example', '1', '2', '0', '0'],
    ['https://shop.example', '0', '0', '0', '1'],
  ]);
});
