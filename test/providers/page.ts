import type { Act } from './acts.js';
import { acts } from './acts.js';
import { type Known, providers, type SituationName, situations } from './providers.js';

/** What came of one answer, and where the node behind gave it, what it was. */
export interface Outcome {
  readonly sees: string;
  readonly answered?: string | undefined;
}

/** Of each answer of a provider, by act. */
export type Seen = (provider: string, situation: SituationName, answer: number, act: number) => Outcome;

/** A cell of a table, in which Markdown takes nothing for its own. */
const cell = (text: string) => text.replace(/\s+/g, ' ').replace(/[|<>\\*]/g, '\\$&');
const row = (...cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

export const listOf = (known: Known | readonly Known[] | undefined): readonly Known[] =>
  known === undefined ? [] : Array.isArray(known) ? known : [known as Known];

/** What the provider says, for the page. */
function answerOf(known: Known, answered = ''): string {
  if ('none' in known) return known.none;
  const note = known.note ? ` (${known.note})` : '';
  if ('itself' in known) return `${answered}${note}`;
  const { status = 200, code, message } = known;
  const http = status === 200 ? '' : `HTTP ${status}${code === undefined ? '' : ', '}`;
  const error = code === undefined ? '' : `${code} \`${message}\``;
  return `${http}${error}${note}`;
}

/** What the node behind a gateway has answered, in the same form. */
export function wireOf(reply: { readonly status: number; readonly text: string } | undefined): string {
  const { result, error } = JSON.parse(reply?.text ?? '{}') as {
    result?: unknown;
    error?: { code: number; message: string };
  };
  if (!error) return `the result \`${JSON.stringify(result)}\``;
  const { code, message } = error;
  return answerOf({ status: reply?.status ?? 200, code, message });
}

/** The page of the documentation. */
export function pageOf(seen: Seen): string {
  const section = (situation: SituationName, act: Act, at: number): string[] => {
    const known = providers.filter(({ answers }) => answers[situation] !== undefined);
    const unknown = providers.filter(({ answers }) => answers[situation] === undefined);
    const rows = known.flatMap(({ name, answers }) =>
      listOf(answers[situation]).map((each, answer) => {
        if ('none' in each) return row(name, answerOf(each), '–');
        const { sees, answered } = seen(name, situation, answer, at);
        return row(name, answerOf(each, answered), sees);
      }),
    );
    return [
      `## ${act.title}`,
      '',
      `The dapp: ${act.does}.`,
      '',
      ...(rows.length > 0
        ? [row('', 'what the service answers', 'what the dapp sees'), '| --- | --- | --- |', ...rows, '']
        : []),
      ...(unknown.length > 0 ? [`Not known: ${unknown.map(({ name }) => name).join(', ')}.`, ''] : []),
    ];
  };
  return [
    '# Providers',
    '',
    'What services of Rootstock answer where something is not as a dapp would have it, and what the dapp sees of it',
    'through Graft. Each answer is one that is documented or was recorded, given by a gateway on this machine in front of',
    'the embedded local service; each outcome is that of a real wallet before it. “Seed” is the hosted service as its',
    'public description has it, “RSKj” the open-source node. Where no answer is known nothing is claimed, and the rules',
    'for answers of unknown form apply.',
    '',
    'Made by `test/providers/providers.test.ts`, which fails when this page is not what it found.',
    '',
    ...situations.flatMap((situation) => acts[situation].flatMap((act, at) => section(situation, act, at))),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}
