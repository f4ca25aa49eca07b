import type { Behaviour, Shows } from './behaviour.js';
import type { Adapter, Shown } from './client.js';
import { type Dialect, uncounted } from './rig.js';

/** What a run of the matrix found, as a page of the documentation. */
export interface Table {
  note(library: string, behaviour: string, shows: Shows): void;
  /** @throws where a behaviour has no result */
  text(): string;
}

export declare namespace createTable {
  interface Options {
    readonly dialect: Dialect;
    readonly adapters: Readonly<Record<string, Adapter>>;
    readonly behaviours: readonly Behaviour[];
    /** Over the bridge: the names of the behaviours in which all libraries come to the same, by where the person is asked. */
    readonly placements: Readonly<Record<string, readonly string[]>>;
  }
}

/** In `docs`. */
export const pages = { seed: 'clients.md', node: 'clients-node.md' } as const;

const services = {
  seed: `On a service as its public description has it; [the other page](${pages.node}) has the node that stands behind.`,
  node: `On a service that is the node itself, where that could make a difference; [the other page](${pages.seed}) has all.`,
} as const;

export function createTable({ dialect, adapters, behaviours, placements }: createTable.Options): Table {
  const noted = new Map<string, Shows>();
  const libraries = Object.entries(adapters);
  const keyOf = (library: string, behaviour: string) => `${library}\n${behaviour}`;

  function cell(library: string, { name }: Behaviour): string {
    const found = noted.get(keyOf(library, name));
    if (!found) throw new Error(`The matrix has no result for ${library} – ${name}`);
    return describe(found);
  }

  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const columns = Object.entries(placements);
  const rows = (chosen: readonly Behaviour[]) => [
    line([
      '',
      ...libraries.map(([library, { version }]) => `${library.replace(/ \d+$/, '')} ${version}`),
      ...columns.map(([placement]) => `bridge: ${placement}`),
    ]),
    line(['---', ...[...libraries, ...columns].map(() => '---')]),
    ...chosen.map((behaviour) =>
      line([
        behaviour.name,
        ...libraries.map(([library]) => cell(library, behaviour)),
        ...columns.map(([, names]) => (names.includes(behaviour.name) ? '✓' : '')),
      ]),
    ),
  ];
  const fails = ({ name }: Behaviour) => libraries.some(([, { expected }]) => name in expected);

  return {
    note: (library, behaviour, shows) => void noted.set(keyOf(library, behaviour), shows),
    text: () =>
      [
        '# Client libraries',
        '',
        'Each library as its real package, with the wallet as its provider and nothing in between.',
        services[dialect],
        `Made by \`test/e2e/clients/matrix.${dialect}.timed.test.ts\`, which fails when this page is not what it found.`,
        '',
        ...adaptersNote,
        '',
        'A cell counts the different requests that an act cost at the service and the dialogs that a person was shown. Not',
        `counted is what comes with the clock: a repetition of the same request, after a block or a second; ${uncounted.map((method) => `\`${method}\``).join(', ')}, and the nonce at \`latest\`.`,
        'A cell without numbers is about what comes by itself.',
        ...(columns.length > 0 ? bridgeNote : []),
        '',
        '## What works',
        '',
        ...rows(behaviours.filter((behaviour) => !fails(behaviour))),
        '',
        '## What fails, in each library’s own words',
        '',
        'The class or kind that the library throws, the code of the error below it, the reason that a dapp would show.',
        '',
        ...rows(behaviours.filter(fails)),
        '',
      ].join('\n'),
  };
}

const adaptersNote = [
  'The columns `graft-wallet/…` are our adapters over the library of that version: the transport',
  'of viem with an address, for which the wallet sends; the same with an `Account`, for which viem prepares and sends what a',
  'person has signed; and the connector of wagmi with the transport.',
];

const bridgeNote = [
  '',
  'The last columns are about a wallet on an origin of its own, in Chromium, where `test/e2e/browser/clients.test.ts` runs',
  'the same behaviours with the same expectations, without our adapters. A tick: over the bridge every library comes to what its',
  'cell says, with as many requests and dialogs, when the person is asked in the frame, or in a window. `npm run test:all` runs three',
  'libraries there, `npm run test:only clients` all of them, and the other behaviours too, but for the service that is down, whose',
  'requests Chromium itself repeats: on 22 November 2026 all 924 passed.',
];

/** Reads the counts back from a page of the documentation: of a library and a behaviour, both by name. */
export function readCounts(page: string, libraries: readonly string[]) {
  const lines = page.split('\n').map((each) => each.split(' | '));
  return (library: string, behaviour: string): Pick<Shows, 'requests' | 'questions'> => {
    const row = lines.find(([name]) => name === `| ${behaviour}`) ?? [];
    const [, requests, questions] =
      /^(?:.*?(?:✓ |<br>))?(?:(\d+) req, )?(\d+) dialogs?(?: \|)?$/.exec(
        row[libraries.indexOf(library) + 1] ?? '',
      ) ?? [];
    return { ...(requests && { requests: Number(requests) }), questions: Number(questions ?? 0) };
  };
}

function describe({ error, requests, questions }: Shows): string {
  const dialogs = questions === 1 ? '1 dialog' : `${questions} dialogs`;
  const took = [
    ...(requests === undefined ? [] : [`${requests} req`]),
    ...(requests === undefined && questions === 0 && !error ? [] : [dialogs]),
  ].join(', ');
  if (error) return [...explain(error), took].join('<br>');
  return took === '' ? '✓' : `✓ ${took}`;
}

function explain({ class: kind, code, reason }: Shown): string[] {
  const first = `\`${kind}\`${code === undefined ? '' : ` ${code}`}`;
  return reason ? [first, inline(reason)] : [first];
}

/** One line, short enough for a cell, and nothing that Markdown would take for its own. */
function inline(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return (line.length > 80 ? `${line.slice(0, 79)}…` : line).replace(/[|<>\\`*_]/g, '\\$&');
}
