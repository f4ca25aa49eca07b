import { secureOrigin } from '../rpc/secure-origin.js';
import { compareHeaders, type Difference } from './compare-headers.js';
import { readConfiguration, type SiteConfiguration } from './configuration.js';
import { type FileReply, fetchFile } from './fetch-file.js';
import { fileAt } from './header-files.js';
import { documentPaths, type SiteDocument, type SiteFile } from './headers.js';
import { hashOf, hasPolicy, type ReleaseFile, readSiteRelease } from './release.js';
import { whyShared } from './shared-hosts.js';

/** Something that is missing or wrong at a wallet's site. Its subject is a header, or `host`, `file`, `content`, `origin`. */
export interface Finding extends Difference {
  /** Path of the file, such as `/frame.html`; `/` also for the site as a whole. */
  readonly path: string;
}

/**
 * Fetches the files of a wallet's site and says what is missing or wrong, with what each is there for. An empty list says
 * that the site is served as `graft-host headers` writes it.
 *
 * @param site its origin. http on this machine only
 * @throws TypeError for something else; Error that says why the site cannot be reached
 */
export async function checkSite(site: string): Promise<readonly Finding[]> {
  const base = readBase(site);
  const shared = whyShared(base.hostname);
  if (shared !== undefined)
    return [
      finding(
        '/',
        'host',
        shared,
        'Whoever gets the name of a wallet’s host gets its keys. Take a name of a domain that is yours.',
      ),
    ];
  const findings: Finding[] = [];
  const fetchAt = (path: string) => fetchFile(new URL(path, base));
  const fetched = await fetchAt('/wallet.json');
  const configuration = readDeployed(fetched, base.origin, findings);
  const expected = configuration ?? { ...unknownSite, origin: base.origin };
  const compare = (path: string, file: SiteFile, { headers }: FileReply) =>
    compareHeaders(file, headers, expected, configuration !== null).map(
      (difference): Finding => ({ path, ...difference }),
    );
  if (fetched.status === 200) findings.push(...compare('/wallet.json', 'configuration', fetched));

  const scripts = new Set<string>();
  const checkDocument = async (document: SiteDocument): Promise<readonly Finding[]> => {
    const [first, ...others] = documentPaths[document];
    const [reply, ...aliases] = await Promise.all([fetchAt(first), ...others.map(fetchAt)]);
    const problem = documentProblem(first, document, reply);
    if (problem) return [problem];
    for (const [, path = ''] of reply.body.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)) scripts.add(path);
    // The same document under another name, as some hosts serve it.
    const served = aliases.filter(
      ({ status, url }, index) => status === 200 && url.pathname === others[index],
    );
    return [
      ...compare(first, document, reply),
      ...served.flatMap((each) => compare(each.url.pathname, document, each)),
    ];
  };
  const checkScript = async (path: string): Promise<readonly Finding[]> => {
    const url = new URL(path, base);
    if (url.origin !== base.origin)
      return [
        finding(path, 'file', 'it is a script from elsewhere', 'Whoever serves it could take the keys.'),
      ];
    const reply = await fetchFile(url);
    const type = reply.headers.get('content-type') ?? 'none';
    return reply.status === 200 && /^(text|application)\/javascript\b/.test(type)
      ? compare(path, 'asset', reply)
      : [finding(path, 'file', `it answers ${reply.status}, as ${type}`, 'The wallet does not start.')];
  };
  const documents = Object.keys(documentPaths) as SiteDocument[];
  findings.push(...(await Promise.all(documents.map(checkDocument))).flat());
  findings.push(...(await Promise.all([...scripts].map(checkScript))).flat());
  const faulty = new Set(findings.map(({ path }) => (path === '/' ? '/index.html' : path)));
  findings.push(...(await checkApp(fetchAt, compare, faulty)));
  const nowhere = await fetchAt(`/${crypto.randomUUID()}`);
  const isDocument = nowhere.status === 200 && /<script/i.test(nowhere.body);
  if (isDocument && compare('/*', 'home', nowhere).length > 0)
    findings.push(
      finding(
        '/*',
        'file',
        'a path that is not there is answered with a document, which lacks the headers; it must be 404',
        'The same document without its headers is one that every site can show in a frame.',
      ),
    );
  return findings;
}

/** Files that the check fetches at a time. */
const lanes = 8;

/**
 * Checks the files by which the wallet is an app, and all that its release lists.
 *
 * @param faulty paths of files with findings already, of which each is a reason why the release is not taken
 */
async function checkApp(
  fetchAt: (path: string) => Promise<FileReply>,
  compare: (path: string, file: SiteFile, reply: FileReply) => readonly Finding[],
  faulty: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const checkFile = async (path: string): Promise<FileReply | null> => {
    const reply = await fetchAt(path);
    if (reply.status === 200) findings.push(...compare(path, fileAt(path) as SiteFile, reply));
    else findings.push(finding(path, 'file', `it answers ${reply.status}`, isNoApp, 'missing'));
    return reply.status === 200 ? reply : null;
  };
  await checkFile('/sw.js');
  const release = await checkFile('/release.json');
  if (release === null) return findings;
  const files = readSiteRelease(release.body);
  if (files === null)
    return [...findings, finding('/release.json', 'content', 'it is not a list of files', isNoApp)];

  const checkListed = async ({ path, policy, sha256: hash }: ReleaseFile) => {
    const reply = await fetchAt(path);
    const fault =
      reply.status !== 200
        ? `it answers ${reply.status}`
        : (await hashOf(reply.bytes)) !== hash
          ? 'it is another file than release.json lists: build again, and upload all files'
          : hasPolicy(reply.headers, policy)
            ? null
            : 'its policy is another one than release.json lists: use the headers of this build';
    if (fault !== null) findings.push(finding(path, 'release', fault, isNotTaken));
    const file = fileAt(path);
    if (file === 'manifest' || file === 'icon') findings.push(...compare(path, file, reply));
  };
  const waiting = files.filter(({ path }) => !faulty.has(path));
  const run = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) await checkListed(file);
  };
  await Promise.all(Array.from({ length: lanes }, run));
  return findings;
}

const isNoApp = 'Without it the wallet can’t be installed as an app.';
const isNotTaken =
  'The app takes a release as a whole: with one wrong file, installed apps keep the older one.';

function readBase(site: string): URL {
  let base: URL;
  try {
    base = new URL(site);
  } catch {
    throw new TypeError(`${site} is not a URL; expected one such as https://wallet.example.com`);
  }
  if (secureOrigin(site) === null)
    throw new TypeError('A wallet is served by https (http on this machine only).');
  if (base.pathname !== '/' || base.search !== '')
    throw new TypeError(`A wallet has an origin of its own: ${base.origin}, without a path.`);
  return base;
}

/** Fallback if the deployed configuration cannot be read. */
const unknownSite: Omit<SiteConfiguration, 'origin'> = {
  name: 'unknown',
  networks: [],
  allow: [],
  frameMayAsk: [],
  endpoints: [],
  look: {},
};

/** The deployed configuration; `null` if it cannot be read. Adds what is wrong with it to `findings`. */
function readDeployed(
  { status, body }: FileReply,
  origin: string,
  findings: Finding[],
): SiteConfiguration | null {
  const path = '/wallet.json';
  const protects = 'Without it the wallet does not start.';
  if (status !== 200) {
    findings.push(finding(path, 'file', `it answers ${status}`, protects, 'missing'));
    return null;
  }
  try {
    const configuration = readConfiguration(body);
    const detail = `it says ${configuration.origin}, and is served at ${origin}`;
    const why = 'The wallet does not start at another origin, where it would be an empty one.';
    if (configuration.origin !== origin) findings.push(finding(path, 'origin', detail, why));
    return configuration;
  } catch (error) {
    findings.push(finding(path, 'content', (error as Error).message, protects));
    return null;
  }
}

function documentProblem(path: string, document: SiteDocument, reply: FileReply): Finding | null {
  const use = {
    home: 'The wallet’s own page.',
    frame: 'Dapps load it as a frame.',
    window: 'Dapps open it where the frame may not be trusted.',
    connect: 'Dapps of other sites open it.',
  }[document];
  if (reply.status !== 200) return finding(path, 'file', `it answers ${reply.status}`, use);
  const type = reply.headers.get('content-type') ?? 'none';
  if (!/^text\/html\b/.test(type))
    return finding(path, 'file', `its content type is ${type}, and must be text/html`, use);
  // The policy would block an inline script, and the document would not work.
  if (/<script(?![^>]*\ssrc=)[^>]*>/i.test(reply.body))
    return finding(path, 'file', 'it has an inline script, which somebody has added to it', use);
  return null;
}

const finding = (
  path: string,
  subject: string,
  detail: string,
  protects: string,
  problem: Finding['problem'] = 'wrong',
): Finding => ({ path, subject, problem, detail, protects });
