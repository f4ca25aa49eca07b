import { afterEach, describe, expect, test, vi } from 'vitest';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { throwNotLoaded } from '../../../src/rpc/not-loaded.js';
import { rejectionOf } from '../../../src/rpc/rejection.js';

afterEach(() => vi.unstubAllGlobals());

const thrownFor = (cause: unknown): ProviderRpcError => {
  try {
    throwNotLoaded(cause);
  } catch (error) {
    return error as ProviderRpcError;
  }
};

/** Failures to load a module, in the words of browsers, bundlers and runtimes. */
const loadFailures: readonly (readonly [string, Error])[] = [
  ['Chrome', new TypeError('Failed to fetch dynamically imported module: https://app.example/core.js')],
  ['Firefox', new TypeError('error loading dynamically imported module: https://app.example/core.js')],
  ['Safari', new TypeError('Importing a module script failed.')],
  [
    'a file of another version',
    new SyntaxError("The requested module './a.js' does not provide an export named 'b'"),
  ],
  [
    'Safari, for the HTML of a missing file',
    new TypeError("'text/html' is not a valid JavaScript MIME type."),
  ],
  ['webpack, for styles', new Error('Loading CSS chunk 7 failed.\n(/7.css)')],
  ['Turbopack', new Error('Failed to load chunk /_next/static/chunks/7.js from module 42')],
  ['SystemJS', new Error('Error loading https://app.example/7.js (SystemJS Error#3 https://example.org)')],
  ['Deno', new TypeError('Module not found "file:///app/core.js".')],
  ['webpack', Object.assign(new Error('Loading chunk 7 failed.'), { name: 'ChunkLoadError' })],
  ['the script tag', new TypeError('graft-core.js is missing, or of another version')],
  ['Vite', new Error('Unable to preload CSS for /assets/a.css')],
  ['Node', Object.assign(new Error("Cannot find module './core.js'"), { code: 'ERR_MODULE_NOT_FOUND' })],
];

describe('a module that does not load', () => {
  test.each(loadFailures)('is named as one, with its cause, in the words of %s', (_, cause) => {
    const error = thrownFor(cause);
    expect(error).toMatchObject({ code: -32002, cause });
    expect(error.message).toMatch(/^A part of the wallet did not load: reload the page\./);
    expect(Object.keys(error)).not.toContain('cause');
  });

  test.each(loadFailures)('is an opened file’s where the page is one (%s)', (_, cause) => {
    vi.stubGlobal('location', { protocol: 'file:' });
    vi.stubGlobal('origin', 'null');
    const error = thrownFor(cause);
    expect(error).toMatchObject({ code: -32002, cause });
    expect(error.message).toMatch(/opened as a file.*[Ss]erve it over http/);
  });

  test.each(loadFailures)('is a sandbox’s where the frame has no origin (%s)', (_, cause) => {
    vi.stubGlobal('location', { protocol: 'https:' });
    vi.stubGlobal('origin', 'null');
    const error = thrownFor(cause);
    expect(error).toMatchObject({ code: -32002, cause });
    expect(error.message).toMatch(/allow-same-origin/);
  });

  test.each([
    ...loadFailures,
    [
      'Chrome’s service worker',
      new TypeError('import() is disallowed on ServiceWorkerGlobalScope by the HTML specification.'),
    ],
  ] as const)('is a service worker’s where it is one (%s)', (_, cause) => {
    vi.stubGlobal('ServiceWorkerGlobalScope', class {});
    vi.stubGlobal('location', { protocol: 'https:' });
    const error = thrownFor(cause);
    expect(error).toMatchObject({ code: -32002, cause });
    expect(error.message).toMatch(/service worker.*one file.*inlineDynamicImports/);
  });
});

describe('an error of a library that a module runs into', () => {
  test.each([
    ['an undefined name', new ReferenceError('TextEncoder is not defined')],
    ['a wrong call', new TypeError("Cannot read properties of undefined (reading 'digest')")],
    ['storage that is refused', new DOMException('The operation is insecure.', 'SecurityError')],
    ['something that is no error', 'a text'],
    ['nothing', undefined],
  ])('is not called a part that did not load: %s', (_, cause) => {
    const error = thrownFor(cause);
    expect(error.code).toBe(-32002);
    expect(error.cause).toBe(cause);
    expect(error.message).toMatch(/^The wallet could not start\..*"cause"/);
  });

  test('shows nothing of its text in the message', () => {
    expect(thrownFor(new TypeError('https://node.example/KEY')).message).not.toContain('KEY');
  });
});

test('an error that has a code keeps it', () => {
  const cause = new ProviderRpcError(4901, 'mine');
  expect(thrownFor(cause)).toBe(cause);
});

test.each(loadFailures)('a request that runs into one says so too (%s)', (_, cause) => {
  expect(rejectionOf(cause, { method: 'eth_call' })).toMatchObject({
    code: -32002,
    message: expect.stringMatching(/^A part of the wallet did not load/),
    cause,
  });
});
