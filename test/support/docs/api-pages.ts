import type { Comment, Described, Entry, Item } from './api-model.js';
import { dividedEntry, type Subject, subjects, subjectsOf } from './api-subjects.js';

/** A page of the reference, with some or all exports of an entry. */
interface Page {
  readonly path: string;
  readonly entry: Entry;
  /** Absent on the page of an entry as a whole. */
  readonly subject?: Subject;
  readonly items: readonly Item[];
}

/** The reference as a whole: what links lead to. */
interface Reference {
  readonly entries: readonly Entry[];
  readonly pages: readonly Page[];
}

/** The pages of the reference by path: one or more for each entry, and an index of all names. */
export function apiPages(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const reference: Reference = { entries, pages: entries.flatMap(pagesOf) };
  const texts = new Map(reference.pages.map((page) => [page.path, pageText(page, reference)]));
  return texts.set('docs/api/index.md', indexOf(reference));
}

function pagesOf(entry: Entry): Page[] {
  if (entry.specifier !== dividedEntry) return [{ path: pathOf(entry), entry, items: entry.items }];
  const found = subjectsOf(entry);
  const parts = subjects.map((subject) => ({
    path: `docs/api/${subject.file}.md`,
    ...{ entry, subject, items: entry.items.filter((item) => found.get(item) === subject) },
  }));
  return [{ path: pathOf(entry), entry, items: entry.items.filter((item) => !found.has(item)) }, ...parts];
}

const pathOf = ({ specifier }: Entry): string =>
  `docs/api/${specifier.replace(/^graft-((wallet|kit)\/|(?=relay))/, '').replaceAll('/', '-')}.md`;

/** The path of a document as a page of the reference links to it. */
const fromApi = (path: string): string => path.replace(/^docs/, '..');

const note = '<!-- Written by `npm run docs api` from the docstrings. Change those. -->';

const kinds = { function: 'Functions', class: 'Classes', constant: 'Values', type: 'Types' } as const;
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

function indexOf(reference: Reference): string {
  const { entries, pages } = reference;
  const tables = entries.map((entry) => {
    const rows = kindNames.map((kind) => {
      const names = entry.items.filter((item) => item.kind === kind && item.isExported);
      const links = names.map(({ name }) => linkTo(name, reference, 'docs/api/index.md'));
      return links.length > 0 ? `| ${kinds[kind]} | ${links.join(', ')} |` : '';
    });
    const parts = pages.filter((page) => page.entry === entry && page.subject).map(linkToPage);
    return [
      `## [${entry.specifier}](${fileOf(pathOf(entry))})`,
      sentenceOf(entry),
      ...(parts.length > 0 ? [`By subject: ${parts.join(', ')}.`] : []),
      `| | |\n|---|---|\n${rows.filter((row) => row !== '').join('\n')}`,
    ].join('\n\n');
  });
  return `${note}

# API reference

Every export of every entry, from the comments in the source; the declarations that come with the package have the same
texts. Amounts are wei and prices are wei per gas; both are hexadecimal strings (QUANTITY) unless a type says otherwise.
Times are milliseconds since 1970, durations milliseconds. Whatever fails rejects with a \`ProviderRpcError\`; the codes are
in [Errors](${fromApi('docs/guides/errors.md')}). Names that the examples use without declaring them are
[listed here](${fromApi('docs/index.md')}#in-the-examples).

${tables.join('\n\n')}
`;
}

const fileOf = (path: string): string => path.replace('docs/api/', '');
const linkToPage = ({ path, subject }: Page): string => `[${subject?.title}](${fileOf(path)})`;

function pageText(page: Page, reference: Reference): string {
  const { path, entry, subject, items } = page;
  const render = (item: Item) => itemText(item, path, reference);
  const also = subject ? [] : entry.also.map((name) => linkTo(name, reference, path));
  const parts = subject ? [] : reference.pages.filter((each) => each.entry === entry && each.subject);
  const first = (subject?.first.names ?? []).flatMap((name) => items.filter((item) => item.name === name));
  const isFollowing = (item: Item) => !first.includes(item) && items.some((each) => isMember(item, each));
  const rest = items.filter((item) => !first.includes(item) && !isFollowing(item));
  /** With the types of each one's namespace, such as the options of a function. */
  const withMembers = (chosen: readonly Item[]): Item[] => [
    ...new Set(
      chosen.flatMap((item) => [item, ...items.filter((each) => isFollowing(each) && isMember(each, item))]),
    ),
  ];
  const sections = [
    { title: subject?.first.title ?? '', items: first },
    ...kindNames.map((kind) => ({
      title: kinds[kind],
      items: rest.filter((item) => item.kind === kind && item.isExported),
    })),
    { title: 'Types that these name', items: rest.filter(({ isExported }) => !isExported) },
  ].filter((section) => section.items.length > 0);
  return [
    note,
    `# ${subject?.title ?? entry.specifier}`,
    subject?.text ?? sentenceOf(entry),
    ...(subject ? [`All of it is exported by [\`${entry.specifier}\`](${fileOf(pathOf(entry))}).`] : []),
    ...(also.length > 0 ? [`It also exports ${also.join(', ')}.`] : []),
    ...parts.flatMap((part) => partText(part, reference)),
    ...sections.flatMap((section) => [`## ${section.title}`, ...withMembers(section.items).map(render)]),
    '',
  ].join('\n\n');
}

const isMember = ({ name }: Item, owner: Item): boolean =>
  name.includes('.') && name.replace(/\.[^.]*$/, '') === owner.name;

/** A subject on the page of its entry: its names, each with a link. */
function partText(page: Page, reference: Reference): string[] {
  const unique = [...new Set(page.items.map(({ name }) => name))];
  const names = unique.map((name) => linkTo(name, reference, pathOf(page.entry)));
  return [`## ${linkToPage(page)}`, page.subject?.text ?? '', names.join(', ')];
}

const anchorOf = (name: string): string => name.toLowerCase().replaceAll('.', '');

const sentenceOf = ({ specifier, text }: Entry): string =>
  text.replace(new RegExp(`^\`?${specifier}\`?: (.)`), (_, first: string) => first.toUpperCase());

type Linked = (text: string) => string;

function itemText(item: Item, path: string, reference: Reference): string {
  const { entries } = reference;
  const links: Linked = (text) => linked(text, reference, path);
  const fields = item.members.filter(({ isFunction, name }) => !isFunction && name !== '(call)');
  const functions = item.members.filter(({ isFunction }) => isFunction);
  const isTable = item.kind === 'constant';
  const typed: Linked = (text) => linkedType(text, item, reference, path);
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
    ...(fields.length > 0 ? [table(fields, isTable, links, typed)] : []),
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

function table(fields: readonly Described[], areValues: boolean, links: Linked, typed: Linked): string {
  const rows = fields.map(({ name, signature, comment }) => {
    const [before = '', ...rest] = signature
      .replace(/^readonly /, '')
      .split(/(?<=^\[[^\]]*\]|^[\w#$]+\??):\s/);
    const type = oneLine(rest.join(': ')).replace(/^\| /, '').replaceAll('readonly ', '');
    const shown = name === 'constructor' ? name : before;
    const what = name === 'constructor' ? oneLine(signature) : type;
    return `| \`${shown}\` | ${cell(areValues ? `\`${what}\`` : typed(what))} | ${cell(links(tableText(comment)))} |`;
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
const linked = (text: string, reference: Reference, from: string): string =>
  text.replace(/\{@link (\S+?)\}/g, (_, name: string) => linkTo(name, reference, from));

/** A type with links to what it names. */
function linkedType(text: string, item: Item, reference: Reference, from: string): string {
  const parts = text.split(typeName).map((part, at) => {
    const name = at % 2 === 1 ? inScope(part, item, reference.entries) : part;
    const isKnown = at % 2 === 1 && reference.entries.some(({ items }) => items.some(isTypeNamed(name)));
    return isKnown ? { link: `[\`${part}\`](${placeOf(name, reference, from)})` } : { code: part };
  });
  let code = '';
  let result = '';
  const flush = () => {
    // A space at the end of code would be lost.
    result += code.replace(/^(\s*)(.*?)(\s*)$/s, (_, before, inner, after) =>
      inner === '' ? before + after : `${before}\`${inner}\`${after}`,
    );
    code = '';
  };
  for (const part of parts) {
    if (part.link === undefined) code += part.code;
    else {
      flush();
      result += part.link;
    }
  }
  flush();
  return result;
}

/** `Wallet`, `Approver.Session`, `createWallet.Options`. */
const typeName = /(?<![\w.'])((?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)*)(?![\w'])/;
const isTypeNamed = (name: string) => (item: Item) =>
  item.name === name && (item.kind === 'type' || item.kind === 'class');

function linkTo(name: string, reference: Reference, from: string): string {
  const place = placeOf(name, reference, from);
  return place === undefined ? `\`${name}\`` : `[\`${name}\`](${place})`;
}

/** Page and heading of a name; `undefined` where it has none. */
function placeOf(name: string, { pages }: Reference, from: string): string | undefined {
  const has = ({ items }: Page) =>
    items.some(
      (item) => item.name === name || item.members.some((each) => `${item.name}.${each.name}` === name),
    );
  const page = pages.find((each) => each.path === from && has(each)) ?? pages.find(has);
  if (!page) return undefined;
  // A field stands in the table of its type and has no heading.
  const isField = !page.items.some(
    (item) =>
      item.name === name ||
      item.members.some((each) => each.isFunction && `${item.name}.${each.name}` === name),
  );
  const heading = isField ? name.replace(/\.[^.]*$/, '') : name;
  return `${page.path === from ? '' : fileOf(page.path)}#${anchorOf(heading)}`;
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
