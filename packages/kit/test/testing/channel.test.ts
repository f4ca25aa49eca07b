import { expect, test } from 'vitest';
import { greeting } from '../../../../test/support/questions.js';
import { createChannel } from '../../src/testing/channel.js';

test('answers each page separately, and withdraws the open questions of a page that is closed', async () => {
  const { questions, receive, leave } = createChannel<string>();
  const first = receive({ type: 'ask', id: '1', question: greeting }, 'first page');
  const second = receive({ type: 'ask', id: '2', question: greeting }, 'second page');
  leave((page) => page === 'first page');
  expect(await first).toEqual({ approved: false });
  await questions.approve({ kind: 'message' });
  expect(await second).toEqual({ approved: true });
});

test('the error that no question was asked says what the pages have requested', async () => {
  const { questions, receive } = createChannel<string>({ timeout: 1 });
  const message = () =>
    questions.nextQuestion().then(
      () => '',
      (error: Error) => error.message.replace(/^No question .* any question\. /, ''),
    );
  expect(await message()).toBe('No page has loaded the wallet yet');
  await receive({ type: 'loaded' }, 'page');
  expect(await message()).toMatch(
    /^The page has requested nothing of this wallet\. A dapp that makes a wallet/,
  );
  const requested = (method: string, code?: number, page = 'page') =>
    receive({ type: 'requested', method, ...(code !== undefined && { code }) }, page);
  await requested('eth_sendTransaction');
  await requested('eth_chainId');
  await requested('eth_sendTransaction', -32002);
  expect(await message()).toBe(
    'The last requests of the page: eth_chainId, eth_sendTransaction failed with -32002',
  );
  await receive({ type: 'loaded' }, 'popup');
  await requested('unknown', -32601, 'popup');
  expect(await message()).toMatch(/failed with -32002, an unknown method failed with -32601$/);
  await receive({ type: 'loaded' }, 'page');
  expect(await message()).toBe('The last requests of the page: an unknown method failed with -32601');
  for (let count = 0; count < 9; count++) await requested(`eth_${count}`);
  expect(await message()).toBe('The last requests of the page: eth_4, eth_5, eth_6, eth_7, eth_8');
});

test('a request that a frame passes on to a window is named once, and the button between them is no request', async () => {
  const { questions, receive } = createChannel<string>({ timeout: 1 });
  for (const place of ['frame', 'window']) {
    await receive({ type: 'loaded' }, place);
    await receive({ type: 'requested', method: 'eth_requestAccounts' }, place);
    expect(await receive({ type: 'continue' }, place)).toBeUndefined();
  }
  await expect(questions.nextQuestion()).rejects.toThrow(
    /The last requests of the page: eth_requestAccounts$/,
  );
});

test('an option that is not known is an error', () => {
  expect(() => createChannel({ anwers: [] } as object)).toThrow('there is no member "anwers"');
});
