// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { waitForBody } from '../../../../src/ui/dialog/body.js';

/** A page that is still loading has no `<body>` where a script in its head runs. */

const { body } = document;
let readyState = 'complete';
Object.defineProperty(Object.getPrototypeOf(document), 'readyState', { get: () => readyState });
const become = (state: string): void => {
  readyState = state;
  document.dispatchEvent(new Event('readystatechange'));
};

afterEach(() => {
  readyState = 'complete';
  if (!body.isConnected) document.documentElement.append(body);
});

async function wait(signal = new AbortController().signal) {
  let outcome: unknown = 'waiting';
  waitForBody(signal).then(
    () => {
      outcome = 'there';
    },
    ({ code, data, message }) => {
      outcome = { code, data, message };
    },
  );
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return outcome;
  };
  return settled;
}
const missing = {
  code: -32002,
  data: { reason: 'not-shown' },
  message: expect.stringMatching(/no <body>.*nothing was signed/i),
};

test('a page with a body is not waited for', async () => {
  expect(await (await wait())()).toBe('there');
});

test('the body of a page that loads is waited for', async () => {
  body.remove();
  readyState = 'loading';
  const outcome = await wait();
  expect(await outcome()).toBe('waiting');
  document.documentElement.append(body);
  expect(await outcome()).toBe('there');
});

test('a page that has loaded without one cannot be asked in, nor one that has removed it', async () => {
  body.remove();
  readyState = 'loading';
  const outcome = await wait();
  become('interactive');
  expect(await outcome()).toEqual(missing);
  expect(await (await wait())()).toEqual(missing);
});

test('a frameset is no body', async () => {
  body.remove();
  document.documentElement.append(document.createElement('frameset'));
  expect(await (await wait())()).toEqual(missing);
  document.documentElement.lastElementChild?.remove();
});

test('a request that is aborted waits no longer', async () => {
  body.remove();
  readyState = 'loading';
  const abort = new AbortController();
  const outcome = await wait(abort.signal);
  abort.abort();
  expect(await outcome()).toBe('there');
});
