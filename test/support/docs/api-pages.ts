import type { Comment, Described, Entry, Item } from './api-model.js';

/** The pages of the reference by path: one for each entry, and an index of all names. */
export function apiPages(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const pages = new Map(entries.map((entry) => [pathOf(entry), pageOf(entry, entries)]));
  return pages.set('docs/api/index.md', indexOf(entries));
}

const pathOf = ({ specifier }: Entry): string =>
  `docs/api/${specifier.replace(/^graft-wallet\//, '').replaceAll('/', '-')}.md`;

/** The path of a document as a page of the reference links to it. */
const fromApi = (path: string): string => path.replace(/^docs/, '..');

const note = '<!-- Written by `npm run docs:api` from the docstrings. Change those. -->';

const kinds = { function: 'Functions', class: 'Classes', constant: 'Values', type: 'Types' } as const;
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

function indexOf(entries: readonly Entry[]): string {
  const rows = entries.flatMap((entry) =>
    kindNames.map((kind) => {
      const names = entry.items.filter((item) => item.kind === kind && item.isExported);
      const links = names.map(({ name }) => linkTo(name, entries, 'docs/api/index.md'));
      return links.length > 0 ? `| ${kinds[kind]} | ${links.join(', ')} |` : '';
    }),
  );
  const tables = entries.map((entry, at) => {
    const own = rows.slice(at * kindNames.length, (at + 1) * kindNames.length).filter((row) => row !== '');
    const head = `## [${entry.specifier}](${pathOf(entry).replace('docs/api/', '')})`;
    return `${head}\n\n${sentenceOf(entry)}\n\n| | |\n|---|---|\n${own.join('\n')}`;
  });
  return `${note}

# API reference

Every export of every entry, from the comments in the source; the declarations that come with the package have the same
texts. Amounts are wei and prices are wei per gas; both are hexadecimal strings (QUANTITY) unless a type says otherwise.
Times are milliseconds since 1970, durations milliseconds. Whatever fails rejects with a \`ProviderRpcError\`; the codes are
in [Errors](${fromApi('docs/guides/errors.md')}). What the examples use without declaring it is
[listed here](${fromApi('docs/index.md')}#in-the-examples).

${tables.join('\n\n')}
`;
}

function pageOf(entry: Entry, entries: readonly Entry[]): string {
  const path = pathOf(entry);
  const render = (item: Item) => itemText(item, (text) => linked(text, entries, path), entries);
  const also = entry.also.map((name) => linkTo(name, entries, path));
  const named = entry.items.filter(({ isExported }) => !isExported);
  const sections = [
    ...kindNames.map((kind) => ({
      title: kinds[kind],
      items: entry.items.filter((item) => item.kind === kind && item.isExported),
    })),
    { title: 'Types that these name', items: named },
  ].filter(({ items }) => items.length > 0);
  return [
    note,
    `# ${entry.specifier}`,
    sentenceOf(entry),
    ...(also.length > 0 ? [`It also exports ${also.join(', ')}.`] : []),
    ...sections.flatMap(({ title, items }) => [`## ${title}`, ...items.map(render)]),
    '',
  ].join('\n\n');
}

const sentenceOf = ({ specifier, text }: Entry): string =>
  text.replace(new RegExp(`^\`?${specifier}\`?: (.)`), (_, first: string) => first.toUpperCase());

type Linked = (text: string) => string;

function itemText(item: Item, links: Linked, entries: readonly Entry[]): string {
  const fields = item.members.filter(({ isFunction, name }) => !isFunction && name !== '(call)');
  const functions = item.members.filter(({ isFunction }) => isFunction);
  const isTable = item.kind === 'constant';
  return [
    `### ${item.name}`,
    fence('ts signature', item.signature),
    links(item.comment.text),
    ...details(item.comment, links, entries),
    ...(item.inherits.length > 0
      ? [
          `It has the members of ${links(item.inherits.map((name) => `{@link ${inScope(name, item, entries)}}`).join(', '))} as well.`,
        ]
      : []),
    ...(fields.length > 0 ? [table(fields, isTable, links)] : []),
    ...functions.flatMap((member, at) => {
      const isRepeated = functions.findIndex(({ name }) => name === member.name) < at;
      const overloads = functions.filter(({ name }) => name === member.name);
      if (isRepeated) return [];
      return [
        `#### ${item.name}.${member.name}`,
        fence(
          'ts signature',
          overloads.map(({ signature }) => signature.replace(/^readonly /, '')).join('\n'),
        ),
        links(member.comment.text),
        ...details(member.comment, links, entries),
      ];
    }),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Params, result, errors and examples, where there are any. */
function details(comment: Comment, links: Linked, entries: readonly Entry[]): string[] {
  const lines = [
    ...comment.params.map(({ name, text }) => `- \`${name}\`: ${links(oneLine(text))}`),
    ...(comment.returns ? [`- Returns ${links(oneLine(comment.returns))}`] : []),
    ...comment.throws.map((text) => `- Throws ${links(oneLine(text)).replace(/^\{?(\w*Error)\}?/, '`$1`')}`),
  ];
  return [
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...comment.examples.map((code) => fence('ts', `${importsOf(code, entries)}${code}`)),
  ];
}

function table(fields: readonly Described[], areValues: boolean, links: Linked): string {
  const rows = fields.map(({ name, signature, comment }) => {
    const [before = '', ...rest] = signature.replace(/^readonly /, '').split(/(?<=^\[[^\]]*\]|^[\w#]+\??): /);
    const type = cell(oneLine(rest.join(': ')).replaceAll('readonly ', ''));
    const shown = name === 'constructor' ? name : before;
    const what = name === 'constructor' ? cell(oneLine(signature)) : type;
    return `| \`${shown}\` | \`${what}\` | ${cell(links(tableText(comment)))} |`;
  });
  return `| Member | ${areValues ? 'Value' : 'Type'} | |\n|---|---|---|\n${rows.join('\n')}`;
}

/** A list becomes lines of a cell. */
const tableText = ({ text, throws }: Comment): string =>
  [text.replace(/\n- /g, '<br>'), ...throws.map((each) => `Throws ${each}`)].map(oneLine).join(' ');

const cell = (text: string): string => text.replaceAll('|', '\\|');
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\``;

/** `{@link Name}` as a link to where the name is. */
const linked = (text: string, entries: readonly Entry[], from: string): string =>
  text.replace(/\{@link (\S+?)\}/g, (_, name: string) => linkTo(name, entries, from));

function linkTo(name: string, entries: readonly Entry[], from: string): string {
  const has = ({ items }: Entry) =>
    items.some(
      (item) => item.name === name || item.members.some((each) => `${item.name}.${each.name}` === name),
    );
  const entry = entries.find(has);
  if (!entry) return `\`${name}\``;
  // A field stands in the table of its type and has no heading.
  const isField = !entry.items.some(
    (item) =>
      item.name === name ||
      item.members.some((each) => each.isFunction && `${item.name}.${each.name}` === name),
  );
  const heading = isField ? name.replace(/\.[^.]*$/, '') : name;
  const anchor = heading.toLowerCase().replaceAll('.', '');
  const page = pathOf(entry) === from ? '' : pathOf(entry).replace('docs/api/', '');
  return `[\`${name}\`](${page}#${anchor})`;
}

/** A name as it is from outside, where it may be one of the namespace that the item is in. */
function inScope(name: string, item: Item, entries: readonly Entry[]): string {
  const inNamespace = item.name.replace(/[^.]*$/, name);
  return entries.some(({ items }) => items.some((each) => each.name === inNamespace)) ? inNamespace : name;
}

/** The imports of what an example uses and does not declare. */
function importsOf(code: string, entries: readonly Entry[]): string {
  const bare = code.replace(/'[^']*'|`[^`]*`|\/\/.*$/gm, '');
  const imports = entries.flatMap(({ specifier, items }) => {
    const names = items
      .filter(({ isExported, name }) => isExported && !name.includes('.'))
      .filter(({ name }) => new RegExp(`(?<![\\w.])${name}(?![\\w:])`).test(bare))
      .filter(
        ({ name }) => !new RegExp(`(const|let|function) ${name}\\b|import [^;]*\\b${name}\\b`).test(code),
      )
      .map(({ name, kind }) => (kind === 'type' ? `type ${name}` : name));
    return names.length > 0 ? [`import { ${names.join(', ')} } from '${specifier}';\n`] : [];
  });
  if (imports.length === 0) return '';
  return `${imports.join('')}${code.startsWith('import ') ? '' : '\n'}`;
}
