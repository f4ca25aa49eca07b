import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkSite } from '../../../src/site/check.js';
import { readConfiguration, type SiteConfiguration } from '../../../src/site/configuration.js';
import { fileAt } from '../../../src/site/header-files.js';
import { headersOf } from '../../../src/site/headers.js';
import { type HttpServer, startServer } from '../../support/http-server.js';
import { sentHeaders, siteContents, siteOptions } from '../../support/wallet-site.js';

/** A site on a real server, whose answers each test changes. */

interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

let server: HttpServer;
let site: string;
let configuration: SiteConfiguration;
/** Changes the answer to a path. */
let change: (path: string, answer: Answer) => void = () => {};

let contents: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer((request, response) => {
    const path = request.url ?? '/';
    const body = contents[path];
    const file = body === undefined ? undefined : fileAt(path);
    const answer: Answer = {
      status: file ? 200 : 404,
      headers: file ? sentHeaders(path, file, configuration) : { 'Content-Type': 'text/plain' },
      body: body ?? 'nothing',
    };
    change(path, answer);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  site = `http://wallet.site.localhost:${server.port}`;
  configuration = readConfiguration(JSON.stringify(siteOptions(site)));
  contents = await siteContents(configuration);
});
afterAll(() => server.stop());
beforeEach(() => {
  change = () => {};
});

/** What the check says, shortened, when one path answers otherwise. */
async function found(path: string, by: (answer: Answer) => void): Promise<string[]> {
  change = (asked, answer) => asked === path && by(answer);
  const findings = await checkSite(site);
  for (const each of findings) expect(each.protects).toMatch(/^[A-Z].*\.$/);
  return findings.map(({ path: at, subject, problem }) => `${at} ${problem} ${subject}`);
}

const set = (name: string, value: string) => (answer: Answer) => {
  answer.headers[name] = value;
};
const remove = (name: string) => (answer: Answer) => {
  delete answer.headers[name];
};
const policy = (edit: (text: string) => string) => (answer: Answer) => {
  answer.headers['Content-Security-Policy'] = edit(answer.headers['Content-Security-Policy'] as string);
};
const documents = ['/', '/frame.html', '/window.html', '/connect.html'];

test('a site with all headers has nothing missing', async () => {
  expect(await checkSite(site)).toEqual([]);
});

describe('a missing header is found, in each document', () => {
  const everywhere = (by: (answer: Answer) => void) => {
    change = (path, answer) => documents.includes(path) && by(answer);
    return checkSite(site);
  };
  const subjects = async (by: (answer: Answer) => void) =>
    (await everywhere(by)).map(({ path, problem, subject }) => `${path} ${problem} ${subject}`);

  test('one after the other', async () => {
    const { 'Content-Security-Policy': _, ...others } = headersOf('frame', configuration);
    const names = [...Object.keys(others), 'Cross-Origin-Opener-Policy'];
    // Without this header a window keeps its opener, which is what connect.html needs.
    const wants = (path: string, name: string) =>
      ![undefined, 'unsafe-none'].includes(headersOf(fileAt(path) as 'home', configuration)[name]);
    expect(names).toHaveLength(8);
    for (const name of names) {
      const wanting = documents.filter((path) => wants(path, name));
      expect(await subjects(remove(name))).toEqual(wanting.map((path) => `${path} missing ${name}`));
    }
  });

  test('a missing policy is found, as a whole and each of its directives', async () => {
    const text = headersOf('frame', configuration)['Content-Security-Policy'] as string;
    const directives = text.split('; ').map((each) => each.split(' ')[0] as string);
    expect(directives).toHaveLength(11);
    expect(await subjects(remove('Content-Security-Policy'))).toEqual(
      documents.flatMap((path) => {
        // The home document alone is an app.
        const names = path === '/' ? directives.toSpliced(6, 0, 'manifest-src') : directives;
        return names.map((name) => `${path} missing Content-Security-Policy: ${name}`);
      }),
    );
    for (const name of directives.slice(1)) {
      // `default-src 'none'` stands in for a source list, and the wallet would not run.
      const problem = name.endsWith('-src') ? 'wrong' : 'missing';
      const without = policy((value) => value.replace(new RegExp(`; ${name} [^;]*`), ''));
      expect(await subjects(without)).toEqual(
        documents.map((path) => `${path} ${problem} Content-Security-Policy: ${name}`),
      );
    }
  });
});

describe('a weaker value is found', () => {
  test.each<[string, (answer: Answer) => void, string]>([
    [
      'script-src',
      policy((text) => text.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")),
      'script-src',
    ],
    [
      'another script-src',
      policy((text) => text.replace("script-src 'self'", 'script-src https:')),
      'script-src',
    ],
    [
      'style-src',
      policy((text) => text.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")),
      'style-src',
    ],
    ['img-src', policy((text) => text.replace('data:', 'data: https:')), 'img-src'],
    [
      'connect-src',
      policy((text) => text.replace("connect-src 'self'", "connect-src 'self' https:")),
      'connect-src',
    ],
    ['too little connect-src', policy((text) => text.replace(' https://rpc.example', '')), 'connect-src'],
    [
      'worker-src',
      policy((text) => text.replace("worker-src 'self'", "worker-src 'self' blob:")),
      'worker-src',
    ],
    ['base-uri', policy((text) => text.replace("base-uri 'none'", "base-uri 'self'")), 'base-uri'],
    ['form-action', policy((text) => text.replace("form-action 'none'", 'form-action *')), 'form-action'],
    ['frame-ancestors', policy((text) => text.replace('https://app.', 'https://*.')), 'frame-ancestors'],
    [
      'an origin that left the list',
      policy((text) => text.replace('https://app.', 'https://old.')),
      'frame-ancestors',
    ],
    [
      'trusted-types',
      policy((text) => text.replace('-types graft', '-types graft default')),
      'trusted-types',
    ],
  ])('%s', async (_, by, name) => {
    expect(await found('/frame.html', by)).toEqual([`/frame.html wrong Content-Security-Policy: ${name}`]);
  });

  test('a policy that is only reported counts for nothing', async () => {
    const reportOnly = (answer: Answer) => {
      answer.headers['Content-Security-Policy-Report-Only'] = answer.headers[
        'Content-Security-Policy'
      ] as string;
      delete answer.headers['Content-Security-Policy'];
    };
    expect(await found('/window.html', reportOnly)).toHaveLength(11);
  });

  test('a second policy cannot loosen the first, and can break the wallet', async () => {
    const second = (value: string) => (answer: Answer) => {
      answer.headers['Content-Security-Policy'] = [
        answer.headers['Content-Security-Policy'] as string,
        value,
      ];
    };
    expect(await found('/', second("script-src 'self' https:"))).toEqual([]);
    expect(await found('/', second("script-src 'none'"))).toEqual([
      '/ wrong Content-Security-Policy: script-src',
    ]);
  });

  test.each<[string, string, string]>([
    ['/frame.html', 'Cross-Origin-Embedder-Policy', 'unsafe-none'],
    ['/frame.html', 'Cross-Origin-Resource-Policy', 'cross-origin'],
    ['/window.html', 'Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
    ['/connect.html', 'Cross-Origin-Opener-Policy', 'same-origin'],
    // Browsers ignore a value that was sent twice.
    ['/window.html', 'Cross-Origin-Opener-Policy', 'same-origin, same-origin'],
    ['/', 'Origin-Agent-Cluster', '?0'],
    ['/', 'Referrer-Policy', 'no-referrer, origin'],
    ['/', 'X-Content-Type-Options', 'sniff'],
    ['/', 'Cache-Control', 'public, max-age=86400'],
    ['/frame.html', 'Permissions-Policy', 'camera=(self)'],
    ['/assets/a.js', 'Cross-Origin-Embedder-Policy', 'unsafe-none'],
    ['/assets/a.js', 'X-Content-Type-Options', 'sniff'],
  ])('%s %s: %s', async (path, name, value) => {
    expect(await found(path, set(name, value))).toEqual([`${path} wrong ${name}`]);
  });

  test('a feature that is open, and a passkey for other sites', async () => {
    const edit = (from: string, to: string) => (answer: Answer) => {
      answer.headers['Permissions-Policy'] = (answer.headers['Permissions-Policy'] as string).replace(
        from,
        to,
      );
    };
    const wrong = ['/ wrong Permissions-Policy'];
    expect(await found('/', edit('usb=()', 'usb=(self)'))).toEqual(wrong);
    expect(await found('/', edit('camera=(), ', ''))).toEqual(wrong);
    expect(await found('/', edit('publickey-credentials-get=(self)', 'publickey-credentials-get=*'))).toEqual(
      wrong,
    );
    expect(await found('/', edit('camera=()', 'camera=( )'))).toEqual([]);
  });

  test('other spellings of the same are accepted', async () => {
    const same = (answer: Answer) => {
      policy((text) => text.replace("script-src 'self'", `SCRIPT-SRC ${site}`).replace('; ', ' ;  '))(answer);
      answer.headers['Cross-Origin-Opener-Policy'] = 'same-origin; report-to="x"';
      answer.headers['Cache-Control'] = 'public, max-age=0, must-revalidate';
      answer.headers['Referrer-Policy'] = 'strict-origin, no-referrer';
    };
    // The app compares texts.
    expect(await found('/window.html', same)).toEqual(['/window.html wrong release']);
  });

  test('a cookie', async () => {
    expect(await found('/', set('Set-Cookie', 'a=b'))).toEqual(['/ wrong Set-Cookie']);
  });
});

describe('files', () => {
  const status = (code: number) => (answer: Answer) => {
    answer.status = code;
  };

  test('a document that is not there, is no HTML, or has a script of somebody else', async () => {
    expect(await found('/frame.html', status(404))).toEqual(['/frame.html wrong file']);
    expect(await found('/window.html', set('Content-Type', 'text/plain'))).toEqual([
      '/window.html wrong file',
    ]);
    const inline = (answer: Answer) => {
      answer.body += '<script>alert(1)</script>';
    };
    expect(await found('/', inline)).toEqual(['/ wrong file']);
  });

  test('a script that is not there, no script, or of another server', async () => {
    expect(await found('/assets/a.js', status(404))).toEqual(['/assets/a.js wrong file']);
    expect(await found('/assets/a.js', set('Content-Type', 'text/html'))).toEqual([
      '/assets/a.js wrong file',
    ]);
  });

  test('wallet.json that is missing, wrong, or of another site', async () => {
    expect(await found('/wallet.json', status(404))).toEqual(['/wallet.json missing file']);
    const body = (text: string) => (answer: Answer) => {
      answer.body = text;
    };
    expect(await found('/wallet.json', body('{'))).toEqual(['/wallet.json wrong content']);
    const elsewhere = JSON.stringify({ ...configuration, origin: 'https://wallet.example.com' });
    const findings = await found('/wallet.json', body(elsewhere));
    expect(findings).toContain('/wallet.json wrong origin');
  });

  test('without wallet.json a frame that any site may embed is still found', async () => {
    change = (path, answer) => {
      if (path === '/wallet.json') answer.status = 404;
      if (path === '/frame.html')
        policy((text) => text.replace(/frame-ancestors [^;]*/, 'frame-ancestors *'))(answer);
    };
    expect((await checkSite(site)).map(({ path, subject }) => `${path} ${subject}`)).toEqual([
      '/wallet.json file',
      '/frame.html Content-Security-Policy: frame-ancestors',
    ]);
  });

  test('a document under its other name needs the same headers', async () => {
    const bare = (answer: Answer) => {
      answer.status = 200;
      answer.headers = { ...headersOf('frame', configuration), 'Content-Type': 'text/html' };
      delete answer.headers['Cross-Origin-Embedder-Policy'];
      answer.body = contents['/'] as string;
    };
    expect(await found('/frame', bare)).toEqual(['/frame missing Cross-Origin-Embedder-Policy']);
  });

  test('a host that redirects to the other name is followed, and one that redirects away is not', async () => {
    change = (path, answer) => {
      if (path === '/frame.html') {
        answer.status = 308;
        answer.headers.Location = '/frame';
      }
      if (path !== '/frame') return;
      answer.status = 200;
      answer.headers = { ...headersOf('frame', configuration), 'Content-Type': 'text/html' };
      answer.body = contents['/'] as string;
    };
    expect(await checkSite(site)).toEqual([]);
    const away = (answer: Answer) => {
      answer.status = 302;
      answer.headers.Location = 'http://127.0.0.1:1/frame.html';
    };
    expect(await found('/frame.html', away)).toEqual(['/frame.html wrong file']);
  });

  test('a host that answers every path with the home page, without its headers', async () => {
    change = (path, answer) => {
      if (fileAt(path)) return;
      answer.status = 200;
      answer.headers = { 'Content-Type': 'text/html' };
      answer.body = contents['/'] as string;
    };
    expect((await checkSite(site)).map(({ path, subject }) => `${path} ${subject}`)).toEqual(['/* file']);
  });
});

describe('the app', () => {
  const body = (text: string) => (answer: Answer) => {
    answer.body = text;
  };
  const missing = (answer: Answer) => {
    answer.status = 404;
  };

  test('a missing list of the release or worker is found, and a list that no worker would read', async () => {
    expect(await found('/release.json', missing)).toEqual(['/release.json missing file']);
    expect(await found('/sw.js', missing)).toEqual(['/sw.js missing file']);
    for (const text of ['{', '{"files":[]}', '{"files":{}}', '[]'])
      expect(await found('/release.json', body(text))).toEqual(['/release.json wrong content']);
  });

  test('a file that is not the one of the release is found by its path', async () => {
    expect(await found('/assets/a.js', body('void 1;'))).toEqual(['/assets/a.js wrong release']);
    expect(await found('/icon-192.png', missing)).toEqual(['/icon-192.png wrong release']);
    const renamed = JSON.stringify({ ...configuration, name: 'Another name' });
    expect(await found('/wallet.json', body(renamed))).toEqual(['/wallet.json wrong release']);
  });

  test('a document with the policy of another release is found', async () => {
    const longer = policy((text) => `${text}; upgrade-insecure-requests`);
    expect(await found('/connect.html', longer)).toEqual(['/connect.html wrong release']);
  });

  test('a manifest of another type is found, and a worker that stays in a cache or has a wide policy', async () => {
    expect(await found('/manifest.webmanifest', set('Content-Type', 'text/plain'))).toEqual([
      '/manifest.webmanifest wrong Content-Type',
    ]);
    expect(await found('/sw.js', set('Cache-Control', 'max-age=86400'))).toEqual([
      '/sw.js wrong Cache-Control',
    ]);
    const open = policy((text) => text.replace("default-src 'none'", 'default-src https:'));
    expect(await found('/sw.js', open)).toEqual(['/sw.js wrong Content-Security-Policy: default-src']);
  });
});

describe('hosts that are unfit for a wallet', () => {
  test.each([
    'https://somebody.github.io',
    'https://wallet.netlify.app',
    'https://wallet.127.0.0.1.nip.io',
    'https://abc.ngrok-free.app',
    'https://93.184.216.34',
    'https://github.io',
  ])('%s is refused with the reason, and asked nothing', async (host) => {
    const [finding, ...others] = await checkSite(host);
    expect(finding).toMatchObject({ path: '/', subject: 'host', problem: 'wrong' });
    expect(finding?.detail).toContain(new URL(host).hostname);
    expect(others).toEqual([]);
  });

  test.each([
    ['http://wallet.example.com', /https/],
    ['https://wallet.example.com/path', /without a path/],
    ['wallet', /not a URL/],
  ])('%s is no address of a wallet', async (address, rule) => {
    await expect(checkSite(address)).rejects.toThrow(rule);
  });

  test('a host whose name only ends like one of them is contacted', async () => {
    await expect(checkSite('http://mygithub.io.localhost:1')).rejects.toThrow('ECONNREFUSED');
  });
});
