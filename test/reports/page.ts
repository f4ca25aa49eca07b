import { basename } from 'node:path';
import { decisions } from './decisions.js';
import { frameworks } from './frameworks.js';
import type { Kind } from './kind.js';
import { nodes } from './nodes.js';
import { people } from './people.js';
import { relays } from './relays.js';

/** The kinds by the title of their section, in the page's order. */
export const sections: Readonly<Record<string, readonly Kind[]>> = {
  'Pages and people': people,
  'Nodes and gateways': nodes,
  Relays: relays,
  'Frameworks and test runners': frameworks,
  'Cases that a wallet may decide either way': decisions,
};

export const kinds: readonly Kind[] = Object.values(sections).flat();

/** The address of an issue or a pull request on GitHub: its repository, its number. */
export const thread = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)$/;

function row({ reported, graft, threads, tests }: Kind): string {
  const files = [...new Set(tests.map(({ file }) => `\`${basename(file)}\``))];
  const links = Object.keys(threads).map((url) => `[${url.replace(thread, '$1#$2')}](${url})`);
  return `| ${[reported, graft, links.join('<br>'), files.join('<br>')].join(' | ')} |`;
}

/** Generates docs/reports.md. */
export function pageOf(): string {
  const urls = kinds.flatMap(({ threads }) => Object.keys(threads));
  const repositories = new Set(urls.map((url) => url.replace(thread, '$1')));
  return [
    '# What people reported, and what Graft does',
    '',
    'Users and developers of other wallets, nodes, gateways and libraries report in public what went wrong. We turned about 230',
    'such reports into inputs of our own and ran them against Graft. The kinds below are those that made us change Graft, or',
    'decide. A thread shows that its kind exists; it may ask for something else than Graft does.',
    '',
    `**${kinds.length} kinds, ${urls.length} reports, ${repositories.size} repositories.** The last column names the test files that hold the`,
    'behaviour. Generated from `test/reports` by `test/unit/project/reports.test.ts`, which fails when the page differs from the',
    'table or a test that it names is missing.',
    '',
    ...Object.entries(sections).flatMap(([title, rows]) => [
      `## ${title}`,
      '',
      '| What people reported | What Graft does | Reports | Tests |',
      '|---|---|---|---|',
      ...rows.map(row),
      '',
    ]),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}
