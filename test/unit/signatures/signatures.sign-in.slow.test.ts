import { parseSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageQuestion, Question, TypedDataQuestion } from '../../../src/approvals/question.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { owners, values } from '../../support/keys.js';
import { openPage, type Page, withKeys } from '../../support/page.js';
import { fc } from '../../support/property.js';

hastenKdfOfFile();

/** Sign-in messages (EIP-4361) that are bent so that a strict reader does not know them and a lenient server does. */

const evil = 'https://evil.example';
const url = 'http://127.0.0.1:1/key';
const address = owners[0]?.address as `0x${string}`;
let page: Page;
let warning: Page;

beforeAll(async () => {
  const open = (signIn: 'refuse' | 'warn') =>
    withKeys(openPage({ networks: [{ chainId: 31, url }], origin: evil, session: 'none', signIn }));
  [page, warning] = await Promise.all([open('refuse'), open('warn')]);
});

afterAll(() => {
  page?.close();
  warning?.close();
});

const line = (domain: string) => `${domain} wants you to sign in with your Ethereum account:`;
const valid = (domain: string): string =>
  `${line(domain)}\n${address}\n\nWater the plants.\n\nURI: https://${domain}/login\nVersion: 1\nChain ID: 31\nNonce: 32891756\nIssued At: 2026-01-02T16:25:24Z`;

/** The six that were signed from evil.example, whose domain viem's own parser reads as bank.example. */
const bent: readonly [string, (message: string) => string][] = [
  ['a statement that is not ASCII', (text) => text.replace('Water the plants.', 'Gieße die Blumen.')],
  ['a nonce of seven characters', (text) => text.replace('32891756', '3289175')],
  ['a blank behind the version', (text) => text.replace('Version: 1', 'Version: 1 ')],
  ['a line behind the last', (text) => `${text}\n`],
  ['a date without a time', (text) => text.replace('T16:25:24Z', '')],
  ['more than 8,192 characters', (text) => text.replace('Water', 'Water'.repeat(2_000))],
];

const hex = (text: string) => `0x${Buffer.from(text).toString('hex')}`;
const sign = (from: Page, message: string) => from.request('personal_sign', [message, values.$A0]);
const asked = (from: Page) => from.questions.at(-1) as Question;
const codes = (from: Page) => asked(from).warnings.map(({ code, severity }) => `${code} ${severity}`);

/** Refused before anybody was asked, naming the other site. */
async function isRefused(message: string, name = 'bank.example'): Promise<void> {
  const before = page.questions.length;
  const refusal = await page.refusal('personal_sign', [message, values.$A0]);
  expect(refusal, message).toMatchObject({ code: -32602, message: expect.stringContaining(name) });
  expect(page.questions).toHaveLength(before);
}

describe('a sign-in for another site', () => {
  test.each(bent)(
    '%s: refused, naming the site; a warning where the owner wants only that',
    async (_, bend) => {
      const message = bend(valid('bank.example'));
      expect(parseSiweMessage(message).domain).toBe('bank.example');
      await isRefused(hex(message));
      await isRefused(message);
      await sign(warning, hex(message));
      expect(codes(warning)[0]).toBe('sign-in-other-site danger');
      expect(asked(warning).warnings[0]?.detail).toBe('bank.example');
    },
  );

  test.each<[string, string, string]>([
    ['full-width letters', line('ｂａｎｋ．example'), 'bank.example'],
    ['an ideographic full stop', line('bank。example'), 'bank'],
    ['a zero-width space in the domain', line('bank\u200b.example'), 'bank.example'],
    [
      'a zero-width space in the sentence',
      line('bank.example').replace('sign', 's\u200big\u2060n'),
      'bank.example',
    ],
    ['no-break spaces', line('bank.example').replaceAll(' ', '\u00a0'), 'bank.example'],
    ['tabs and doubled blanks', line('bank.example').replaceAll(' ', '\t  '), 'bank.example'],
    ['a line end inside the sentence', line('bank.example').replace('to sign', 'to\r\nsign'), 'bank.example'],
    [
      'a line end in front of the sentence',
      line('bank.example').replace(' wants', '\nwants'),
      'bank.example',
    ],
    [
      'a paragraph separator in front of it',
      line('bank.example').replace(' wants', '\u2029wants'),
      'bank.example',
    ],
    ['capitals', line('BANK.EXAMPLE').toUpperCase(), 'BANK.EXAMPLE'],
    ['a hyphen', line('bank.example').replace('sign in', 'sign-in'), 'bank.example'],
    ['another kind of account', line('bank.example').replace('Ethereum', 'Rootstock'), 'bank.example'],
    ['a byte order mark', `\ufeff${valid('bank.example')}`, 'bank.example'],
    ['words in front of it', `Welcome! ${valid('bank.example')}`, 'bank.example'],
    ['lines in front of it', `Welcome!\n\n${valid('bank.example')}`, 'bank.example'],
    ['a scheme', line('https://bank.example'), 'bank.example'],
    ['a scheme of its own', line('javascript://bank.example'), 'bank.example'],
    ['a user in front of the domain', line('evil.example@bank.example'), 'bank.example'],
    ['the right site behind a user', line('bank.example@evil.example'), 'bank.example'],
    ['a path behind the domain', line('bank.example/evil.example'), 'bank.example'],
    ['two domains', line('bank.example evil.example'), 'bank.example'],
    ['brackets', line('(bank.example)'), 'bank.example'],
    ['another port', line('evil.example:8443'), 'evil.example:8443'],
    ['a dot behind the domain', line('evil.example.'), 'evil.example.'],
    ['a subdomain', line('login.evil.example'), 'login.evil.example'],
    ['a name without a dot', `${line('bank')}\n${address}`, 'bank'],
    ['localhost', `Please: ${line('localhost')}`, 'localhost'],
    ['an address with a port', line('[::1]:3000'), '[::1]:3000'],
    ['its own sentence first', `${valid('evil.example')}\n\n${valid('bank.example')}`, 'bank.example'],
    [
      'its own sentence, the other in the statement',
      valid('evil.example').replace(
        'Water the plants.',
        'bank.example wants you to sign in with your Ethereum account',
      ),
      'bank.example',
    ],
  ])('%s: refused', async (_, message, name) => {
    await isRefused(hex(message), name);
  });

  test('bytes that are not UTF-8, and text in UTF-16: refused', async () => {
    const text = Buffer.from(valid('bank.example'));
    await isRefused(`0x${Buffer.concat([text, Buffer.from([0xff])]).toString('hex')}`);
    await isRefused(`0x${Buffer.concat([Buffer.from([0xfe, 0xff]), text]).toString('hex')}`);
    await isRefused(`0x${Buffer.from(valid('bank.example'), 'utf16le').toString('hex')}`);
    await isRefused(`0x${Buffer.from(valid('bank.example'), 'utf16le').swap16().toString('hex')}`);
  });

  test('eth_sign: refused', async () => {
    const message = hex(bent[0]?.[1](valid('bank.example')) ?? '');
    expect(await page.refusal('eth_sign', [values.$A0, message])).toMatchObject({ code: -32602 });
  });
});

describe('a sign-in for this site', () => {
  test.each(bent)('%s: signed, with a warning', async (_, bend) => {
    await sign(page, hex(bend(valid('evil.example'))));
    expect(codes(page)).toEqual(['sign-in-malformed danger']);
    expect((asked(page) as MessageQuestion).signIn).toBeNull();
  });

  test('another chain id is a warning that names it, and nothing worse', async () => {
    await sign(page, hex(valid('evil.example').replace('Chain ID: 31', 'Chain ID: 1')));
    expect(asked(page).warnings).toEqual([{ code: 'sign-in-other-chain', severity: 'caution', detail: '1' }]);
    expect((asked(page) as MessageQuestion).signIn?.chainId).toBe('1');
  });

  test('text that speaks of signing in is no sign-in', async () => {
    for (const text of [
      'Sign in with your Ethereum account at bank.example.',
      'bank.example wants you to sign',
    ]) {
      await sign(page, hex(text));
      expect(codes(page)).toEqual([]);
    }
    await sign(page, hex('The app wants you to sign in with your wallet account.'));
    expect(codes(page)).toEqual(['sign-in-malformed danger']);
  });
});

describe('a sign-in inside typed data', () => {
  const typed = (type: string, value: string) => ({
    types: { Note: [{ name: 'text', type }] },
    primaryType: 'Note',
    domain: { name: 'Notes', chainId: 31 },
    message: { text: value },
  });
  const signTyped = async (type: string, value: string) => {
    await page.request('eth_signTypedData_v4', [values.$A0, typed(type, value)]);
    return (asked(page) as TypedDataQuestion).warnings;
  };

  test.each(['string', 'bytes'])(
    'as %s: a danger that names another site, a caution for this one',
    async (type) => {
      const write = (text: string) => (type === 'string' ? text : hex(text));
      // A form that is not known is not understood, whatever it says.
      const unclear = [{ code: 'unclear-form', severity: 'caution' }];
      expect(await signTyped(type, write(valid('bank.example')))).toEqual([
        { code: 'sign-in-other-site', severity: 'danger', detail: 'bank.example' },
        ...unclear,
      ]);
      expect(await signTyped(type, write(valid('evil.example')))).toEqual([
        ...unclear,
        { code: 'sign-in-malformed', severity: 'caution' },
      ]);
      expect(await signTyped(type, write('Hello'))).toEqual(unclear);
    },
  );

  test('a sign-in inside typed data of version 1 is found too', async () => {
    const params = [[{ type: 'string', name: 'text', value: valid('bank.example') }], values.$A0];
    await page.request('eth_signTypedData_v1', params);
    expect(codes(page)).toContain('sign-in-other-site danger');
  });
});

/** How servers read the domain: viem's parser, and patterns that need less and less of the message. */
const readers: readonly ((text: string) => string | undefined)[] = [
  (text) => parseSiweMessage(text).domain,
  (text) => /^(?:[a-z+.-]+:\/\/)?(\S+) wants you to sign in with your \w+ account/im.exec(text)?.[1],
  (text) => /(\S+)\s+wants\s+you\s+to\s+sign\s+in\s+with\s+your\s+\S+\s+account/i.exec(text)?.[1],
  (text) => /^\s*(?:\w+:\/\/)?([^\s/]+)\s+wants you to sign in with your/i.exec(text.normalize('NFKC'))?.[1],
];

const hostOf = (domain: string): string | null => {
  try {
    return new URL(`https://${domain.replace(/^[a-z+.-]+:\/\//i, '').replace(/^[^@]*@/, '')}`).host;
  } catch {
    return null;
  }
};

const pick = <T>(choices: readonly T[], index: number): T => choices[index % choices.length] as T;
const blanks = [' ', '  ', '\t', '\u00a0', '\u2003', '\u3000'];
const unseen = ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u200d'];

/** One way to bend a message each; `n` chooses where and with what. */
const bends: readonly ((text: string, n: number) => string)[] = [
  ...bent.map(([, bend]) => bend),
  (text, n) => text.replace(' ', pick(blanks, n)),
  (text, n) => text.replaceAll(' ', pick(blanks, n)),
  (text, n) => text.slice(0, n % 40) + pick(unseen, n) + text.slice(n % 40),
  (text) => text.replaceAll('\n', '\r\n'),
  (text, n) => `${pick(['\ufeff', '\n', ' ', '\u2028', 'Hello,\n', 'Hello '], n)}${text}`,
  (text, n) => `${pick(['https://', 'HTTP://', 'ftp://', 'evil.example@'], n)}${text}`,
  (text, n) => text.replace('Ethereum', pick(['Rootstock', 'ethereum', 'Solana', 'RSK'], n)),
  (text) => text.replace(address, ''),
  (text, n) =>
    text
      .split('\n')
      .toSpliced(2 + (n % 8), 1)
      .join('\n'),
  (text, n) => text.slice(0, text.length - (n % 120)),
  (text) => text.replace(/^[^ ]+/, (domain) => domain.toUpperCase()),
  (text) => text.replace('bank', 'ｂａｎｋ'),
  (text) => text.replace('bank.example', 'bank.example:443'),
  (text) => `${text}\n\n${valid('evil.example')}`,
  (text) => `${valid('evil.example')}\n\n${text}`,
  (text, n) => text + pick(['\u0000', '\ud7ff', '🙂', '\u202e'], n),
];

describe('random bending', () => {
  test('none of 2,000 messages that any reader takes for one of another site is signed', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bends.length - 1), fc.nat(1_000)), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('text', 'data'),
        async (steps, form) => {
          const message = steps.reduce(
            (text, [which, n]) => pick(bends, which)(text, n),
            valid('bank.example'),
          );
          const hosts = readers.map((reader) => reader(message)).map((domain) => hostOf(domain ?? ''));
          const isForeign = hosts.some((host) => host !== null && host !== 'evil.example');
          if (!isForeign) return;
          read += 1;
          const outcome = await sign(page, form === 'text' ? message : hex(message)).then(
            () => 'signed',
            ({ code }: { code: number }) => code,
          );
          expect(outcome).toBe(-32602);
        },
      ),
      { numRuns: 2_000, seed: 9 },
    );
    expect(read).toBeGreaterThan(1_500);
  }, 60_000);
});
