import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig, type MarkdownEnv, type MarkdownOptions, type MarkdownRenderer } from 'vitepress';
import { buildDemo } from '../../test/support/demo.js';

type ShikiTransformer = NonNullable<MarkdownOptions['codeTransformers']>[number];
type Token = ReturnType<MarkdownRenderer['parse']>[number];

const { description } = JSON.parse(readFileSync('package.json', 'utf8')) as { description: string };

/** The documents that are not at their path in docs: the site begins with a page of its own. */
const places: Readonly<Record<string, string>> = {
  'docs/index.md': 'contents.md',
  'docs/site.md': 'index.md',
};

/** The place of a document on the site: that of docs is its root. */
const placeOf = (path: string): string => places[path] ?? path.replace(/^docs\//, '');

/** The anchors that GitHub gives headings, so that a link holds here and there. */
const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

const root = posix.join(import.meta.dirname, '../..');

/** Leads the links of a document to places of the site. A file that is no document is named without a link. */
function linkPlaces(tokens: NonNullable<Token['children']>, from: string): void {
  for (const [at, token] of tokens.entries()) {
    const [href = '', anchor] = token.attrGet('href')?.split('#') ?? [];
    if (token.type !== 'link_open' || href === '' || /^[a-z]+:|^\//.test(href)) continue;
    const target = posix.join(posix.dirname(from), href);
    if (!existsSync(posix.join(root, target)))
      throw new Error(`${from} links to ${href}, which is not there`);
    const isDocument = target.endsWith('.md');
    const end = tokens.slice(at).find(({ type }) => type === 'link_close');
    if (isDocument) token.attrSet('href', `/${placeOf(target)}${anchor === undefined ? '' : `#${anchor}`}`);
    else for (const each of [token, end]) if (each) Object.assign(each, { tag: 'span', attrs: null });
  }
}

/** The pages and headings of the types in the reference, by name. */
const types = new Map(
  readdirSync(posix.join(root, 'docs/api')).flatMap((file) => {
    const text = readFileSync(posix.join(root, 'docs/api', file), 'utf8');
    return [...text.matchAll(/^### (\S+)\n\n```ts signature\n(?:interface|type|class) /gm)].map(
      ([, name = '']) => [name, `/api/${file.replace('.md', '.html')}#${slugify(name)}`] as const,
    );
  }),
);
const typeName = /(?<![\w.'])(?:[a-z]\w*\.)?[A-Z]\w*(?:\.[A-Z]\w*)*(?![\w'])/g;

/** Links the types that a declaration of the reference names, but for the one that it declares. */
const linkTypes: ShikiTransformer = {
  preprocess(code, options) {
    if (!String(options.meta?.__raw).includes('signature')) return;
    const links = [...code.matchAll(typeName)].flatMap(({ 0: name, index }) => {
      const href = /^(interface|type|class) $/.test(code.slice(0, index)) ? undefined : types.get(name);
      return href === undefined
        ? []
        : [{ start: index, end: index + name.length, tagName: 'a', properties: { href } } as const];
    });
    options.decorations = [...(options.decorations ?? []), ...links];
  },
};

/** The description of a document, or its first sentence without links. */
function sentenceOf(text: string): string {
  const [, given] = /^description: (.+)$/m.exec(text) ?? [];
  const withoutCode = text.replace(/^```[\s\S]*?^```$/gm, '');
  const paragraph = withoutCode.split(/\n\n+/).find((part) => /^[\w`[]/.test(part)) ?? '';
  const plain = paragraph.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  return given ?? (/^.*?[.!?:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') || plain);
}

/** Writes each page as Markdown beside it, and a list of them with a sentence each (llmstxt.org), for programs that read. */
function writeMarkdown(outDir: string, pages: readonly string[]): void {
  const lines = pages.map((path) => {
    const text = readFileSync(posix.join(root, path), 'utf8');
    const place = placeOf(path);
    const linked = text.replace(/\]\((?!\w+:|\/)([^)#\s]+\.md)/g, (_, href: string) => {
      const target = placeOf(posix.join(posix.dirname(path), href));
      return `](${posix.relative(posix.dirname(place), target)}`;
    });
    mkdirSync(posix.join(outDir, posix.dirname(place)), { recursive: true });
    writeFileSync(posix.join(outDir, place), linked);
    const [, title = place] = /^(?:# |title: )(.+)$/m.exec(text) ?? [];
    return `- [${title}](/${place}): ${sentenceOf(text)}`;
  });
  const list = ['# Graft', `> ${description}`, '## Documents', lines.sort().join('\n')];
  writeFileSync(posix.join(outDir, 'llms.txt'), `${list.join('\n\n')}\n`);
}

const guide = (text: string, name: string) => ({ text, link: `/guides/${name}` });

export default defineConfig({
  title: 'Graft',
  description,
  // The documents link to each other by path, as they are in the repository.
  srcDir: '..',
  // Any `config.ts` below `srcDir` would be loaded as settings of its folder.
  additionalConfig: {},
  srcExclude: ['**/node_modules/**', 'dist*/**', 'examples/**', '.*/**'],
  rewrites: placeOf,
  cleanUrls: false,
  outDir: '../dist-docs',
  cacheDir: '../node_modules/.vitepress',
  vite: { configFile: false, publicDir: false },
  ignoreDeadLinks: false,
  markdown: {
    codeTransformers: [linkTypes],
    anchor: { slugify },
    config(md) {
      md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
        const { realPath, path } = env as Partial<MarkdownEnv>;
        const document = realPath ?? path;
        // The title of a page is parsed alone.
        if (document === undefined) return;
        const from = posix.relative(root, document);
        for (const { children } of tokens) if (children) linkPlaces(children, from);
      });
    },
  },
  async buildEnd({ outDir, pages }) {
    writeMarkdown(outDir, pages);
    await buildDemo(posix.join(outDir, 'demo'));
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/guides/getting-started' },
      { text: 'Trouble', link: '/guides/trouble' },
      { text: 'API', link: '/api/index' },
      { text: 'Comparison', link: '/comparison' },
    ],
    sidebar: [
      {
        text: 'Ten minutes',
        items: [
          { text: 'A dapp with a script tag', link: '/start/dapp' },
          { text: 'A client library', link: '/start/library' },
          { text: 'A wallet of your own', link: '/start/operator' },
          { text: 'A game', link: '/start/game' },
          { text: 'Tests', link: '/start/tests' },
        ],
      },
      {
        text: 'Guides',
        items: [
          guide('Getting started', 'getting-started'),
          guide('Accounts and backup', 'accounts'),
          guide('Dialog and panel', 'panel'),
          guide('Colours and languages', 'theming'),
          guide('Transactions', 'transactions'),
          guide('Permissions', 'permissions'),
          guide('Verified reads', 'verified-reads'),
          guide('Payment proofs', 'payment-proofs'),
          guide('Events', 'events'),
          guide('Logs and quota', 'reading-logs-and-quota'),
          guide('Limits', 'limits'),
          guide('Client libraries', 'libraries'),
          guide('In your framework', 'frameworks'),
          guide('Errors', 'errors'),
          guide('Trouble', 'trouble'),
          guide('Security modes', 'security-modes'),
          guide('The wallet on its own site', 'bridge'),
          guide('Relay', 'relay'),
          guide('Local service', 'local-service'),
          guide('Testing', 'testing'),
          guide('Telemetry and inspector', 'telemetry'),
          guide('Coming from another wallet', 'migration'),
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'All documents', link: '/contents' },
          {
            text: 'API',
            link: '/api/index',
            items: [
              { text: 'Create a wallet', link: '/api/create-wallet' },
              { text: 'The wallet', link: '/api/wallet' },
              { text: 'Accounts and keys', link: '/api/accounts' },
              { text: 'Contacts', link: '/api/contacts' },
              { text: 'Calls in words', link: '/api/calls' },
              { text: 'What came in', link: '/api/received' },
              { text: 'Allowances', link: '/api/allowances' },
              { text: 'The Bitcoin side', link: '/api/bitcoin' },
              { text: 'The provider', link: '/api/provider' },
              { text: 'Errors', link: '/api/errors' },
              { text: 'Questions and answers', link: '/api/questions' },
              { text: 'Calls and rights in a question', link: '/api/calls-and-rights' },
              { text: 'Events for telemetry', link: '/api/wallet-events' },
            ],
          },
          { text: 'Client libraries, as tested', link: '/clients' },
          { text: 'The same on a real node', link: '/clients-node' },
          { text: 'Providers of nodes', link: '/providers' },
          { text: 'Bundlers and runtimes', link: '/compatibility' },
          { text: 'What people reported', link: '/reports' },
          { text: 'Comparison', link: '/comparison' },
          { text: 'Architecture', link: '/architecture' },
          { text: 'Glossary', link: '/glossary' },
        ],
      },
    ],
  },
});
