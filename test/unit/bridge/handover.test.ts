import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { noWindow } from '../../../src/bridge/errors.js';
import { createHandover, type HandedRequest, type WindowAnswer } from '../../../src/bridge/handover.js';
import { type Message, times } from '../../../src/bridge/protocol.js';
import { refusedOften } from '../../../src/bridge/refusals.js';
import type { OpenLink } from '../../../src/bridge/window-link.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const session = { chainId: 31, accounts: ['0xa'] };
const journal: WindowAnswer = { json: '"0xsent"', session };

/** A handover whose windows are played by the test, newest last. */
function setUp({ outcome = null as WindowAnswer | null } = {}) {
  const windows: FakeWindow[] = [];
  const said = { approved: 0, refused: 0, ended: [] as string[], purses: [] as Message[] };
  const openLink: OpenLink = (token, isOpen, onMessage, onGone) => {
    const posted: Message[] = [];
    const link = { isWithdrawn: false, isClosed: false };
    let onOpen = () => {};
    let onFail = (_: unknown) => {};
    const opened = isOpen
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => {
          onOpen = resolve;
          onFail = reject;
        });
    windows.push({
      ...{ token, posted, link, onOpen, onFail, onGone },
      say: (t, more) => onMessage({ t, ...more }),
      offers: () => posted.filter(({ t }) => t === 'offer'),
    });
    return {
      opened,
      post: (message) => void posted.push(message as Message),
      withdraw: () => {
        link.isWithdrawn = true;
      },
      close: () => {
        link.isClosed = true;
      },
    };
  };
  const handover = createHandover({
    ...{ origin: 'https://dapp.example', answered: new Set<unknown>(), openLink },
    onApproved: () => {
      said.approved += 1;
    },
    onRefused: () => {
      said.refused += 1;
      return said.refused < 3 ? undefined : refusedOften(60_000);
    },
    onPurse: (message) => said.purses.push(message),
    onEnd: (token) => said.ended.push(token),
    outcomeOf: async () => outcome,
  });
  /** Asks; the answer is a result's JSON or an error. */
  const ask = (method: string, more: Partial<HandedRequest> = {}) => {
    const { signal } = new AbortController();
    const answer = handover.decide({ method, json: '[]', at: 0, signal, ...more }).then(
      ({ json }) => json,
      ({ code, data }) => ({ code, ...data }),
    );
    return answer;
  };
  return { handover, windows, said, ask };
}

interface FakeWindow {
  readonly token: string;
  readonly posted: readonly Message[];
  readonly link: { isWithdrawn: boolean; isClosed: boolean };
  readonly onOpen: () => void;
  readonly onFail: (error: unknown) => void;
  readonly onGone: () => void;
  say(t: string, more?: object): void;
  offers(): readonly Message[];
}

const pass = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

test('a window that opens and never loads ends each request that waits for it', async () => {
  const { windows, ask, said } = setUp();
  const answers = [ask('personal_sign'), ask('eth_sendTransaction')];
  windows[0]?.onOpen();
  await pass(times.hello);
  expect(await Promise.all(answers)).toEqual(Array(2).fill({ code: -32002, reason: 'bridge-unreachable' }));
  expect([windows.length, said.refused]).toEqual([1, 0]);
});

test('messages about purses count from a window’s first message on, and offers name the purses that are here', async () => {
  const { windows, ask, said } = setUp();
  void ask('personal_sign', { purses: ['0xb'] });
  const [window] = windows as [FakeWindow];
  window.say('purse', { address: '0xa' });
  expect(said.purses).toEqual([]);
  window.say('hello');
  window.say('purse', { address: '0xa' });
  window.say('purse-ended', { address: '0xb' });
  expect(said.purses).toEqual([
    { t: 'purse', address: '0xa' },
    { t: 'purse-ended', address: '0xb' },
  ]);
  expect(window.offers()).toMatchObject([{ method: 'personal_sign', purses: ['0xb'] }]);
});

test('a window that cannot be had fails at once, and the next request tries again', async () => {
  const { windows, ask } = setUp();
  const first = ask('personal_sign');
  windows[0]?.onFail(noWindow());
  expect(await first).toEqual({ code: -32002, reason: 'no-window' });
  void ask('personal_sign');
  expect(windows).toHaveLength(2);
});

test('a window that is not opened for ten minutes is withdrawn', async () => {
  const { windows, ask } = setUp();
  void ask('personal_sign');
  await pass(599_000);
  expect(windows[0]?.link.isWithdrawn).toBe(false);
  await pass(1_000);
  expect(windows[0]?.link.isWithdrawn).toBe(true);
});

test.each([
  ['personal_sign', false, false, { code: 4001 }],
  ['personal_sign', true, false, { code: 4001 }],
  // Never 4001 after the person has agreed.
  ['personal_sign', true, true, { code: 4900, reason: 'bridge-lost' }],
  ['eth_sendTransaction', false, false, { code: 4001 }],
])('%s, taken %s, approved %s, and the window is gone: %o', async (method, taken, approved, answer) => {
  const { windows, ask, said } = setUp();
  const asked = ask(method);
  const [window] = windows as [FakeWindow];
  window.say('hello');
  if (taken) window.say('taken', { id: 1 });
  if (approved) window.say('approved');
  window.onGone();
  await pass(250);
  expect(await asked).toMatchObject(answer);
  expect(said.refused).toBe(approved ? 0 : 1);
});

test.each([
  ['is in the journal', journal, '"0xsent"'],
  ['is not', null, { code: 4900, reason: 'bridge-lost', outcomeUnknown: true }],
])(
  'a send whose window ends after the approval, and that %s, has its outcome',
  async (_, outcome, answer) => {
    const { windows, ask } = setUp({ outcome });
    const asked = ask('eth_sendTransaction');
    const [window] = windows as [FakeWindow];
    window.say('hello');
    window.say('taken', { id: 1 });
    window.say('approved');
    window.say('closed');
    expect(await asked).toEqual(answer);
  },
);

test('an answer that arrives right after its window has ended counts', async () => {
  const { windows, ask } = setUp();
  const asked = ask('eth_sendTransaction');
  const [window] = windows as [FakeWindow];
  window.say('hello');
  window.say('taken', { id: 1 });
  window.onGone();
  await pass(200);
  window.say('answer', { id: 1, json: '"0xhash"', session });
  expect(await asked).toBe('"0xhash"');
});

test('a request that an idle window did not take goes to the next one, once', async () => {
  const { windows, ask, said } = setUp();
  const first = ask('personal_sign');
  const [window] = windows as [FakeWindow];
  window.say('hello');
  window.say('taken', { id: 1 });
  window.say('answer', { id: 1, json: '"one"', session });
  const second = ask('personal_sign');
  window.say('idle');
  const [, next] = windows as [FakeWindow, FakeWindow];
  // A late answer of the first window has no effect.
  window.say('answer', { id: 2, json: '"wrong"', session });
  next.say('hello');
  expect(next.offers()).toHaveLength(1);
  next.say('taken', { id: 3 });
  next.say('answer', { id: 3, json: '"two"', session });
  expect(await Promise.all([first, second])).toEqual(['"one"', '"two"']);
  expect(said.ended).toEqual([window.token]);
});

test('a request that its page takes back leaves the others, and an empty window is not opened', async () => {
  const { windows, ask } = setUp();
  const [one, two] = [new AbortController(), new AbortController()];
  const answers = [
    ask('personal_sign', { signal: one.signal }),
    ask('personal_sign', { signal: two.signal }),
  ];
  one.abort();
  expect(windows[0]?.link.isWithdrawn).toBe(false);
  two.abort();
  expect(windows[0]?.link.isWithdrawn).toBe(true);
  expect(await Promise.all(answers)).toEqual([{ code: 4001 }, { code: 4001 }]);
});

test('a request that its page takes back after the approval has its answer, and is not refused', async () => {
  const { windows, ask } = setUp();
  const page = new AbortController();
  const asked = ask('eth_sendTransaction', { signal: page.signal });
  const [window] = windows as [FakeWindow];
  window.say('hello');
  window.say('taken', { id: 1 });
  window.say('approved');
  page.abort();
  expect(window.posted.map(({ t }) => t)).toEqual(['offer']);
  window.say('answer', { id: 1, json: '"0xhash"', session });
  expect(await asked).toBe('"0xhash"');
});

describe('several requests in one window', () => {
  /** Opens a window that has taken one request of each method. */
  const taken = async (...methods: string[]) => {
    const stage = setUp();
    const answers = methods.map((method) => stage.ask(method));
    const [window] = stage.windows as [FakeWindow];
    window.onOpen();
    window.say('hello');
    const ids = window.offers().map(({ id }) => id);
    for (const id of ids) window.say('taken', { id });
    return { ...stage, window, ids, answers };
  };

  test('an approval counts for one of them', async () => {
    for (const method of ['personal_sign', 'eth_sendTransaction', 'wallet_switchEthereumChain']) {
      const { window, ids, answers, said } = await taken(method, 'personal_sign', 'eth_sendTransaction');
      window.say('approved');
      window.say('answer', { id: ids[0], json: '"0x00"', session });
      window.say('closed');
      expect(await Promise.all(answers)).toEqual(['"0x00"', { code: 4001 }, { code: 4001 }]);
      expect(said).toMatchObject({ approved: 1, refused: 1 });
    }
  });

  test('an approved one without an answer rejects with 4900, whatever the others resolve with', async () => {
    const { window, ids, answers } = await taken('personal_sign', 'personal_sign', 'personal_sign');
    window.say('approved');
    window.say('approved');
    window.say('answer', { id: ids[0], json: '"0x00"', session });
    window.say('answer', { id: ids[1], error: { code: 4001, message: 'refused' }, session });
    window.say('closed');
    expect(await Promise.all(answers)).toEqual([
      '"0x00"',
      { code: 4001 },
      { code: 4900, reason: 'bridge-lost' },
    ]);
  });

  test('an approved one that fails uses up its approval', async () => {
    const { window, ids, answers } = await taken('eth_sendTransaction', 'eth_sendTransaction');
    window.say('approved');
    window.say('answer', { id: ids[0], error: { code: -32003, message: 'no funds' }, session });
    window.say('closed');
    expect(await Promise.all(answers)).toEqual([{ code: -32003 }, { code: 4001 }]);
  });
});

test('the third refusal, of a token too, ends the other offers of the window', async () => {
  const { windows, ask, said } = setUp();
  const answers = Array.from({ length: 5 }, () => ask('wallet_watchAsset'));
  const [window] = windows as [FakeWindow];
  window.say('hello');
  for (const id of [1, 2, 3]) {
    window.say('taken', { id });
    window.say('refused');
    // A refusal to watch a token is not reported to the dapp (EIP-747).
    window.say('answer', { id, json: 'true', session });
  }
  expect(await Promise.all(answers)).toEqual([
    ...Array(3).fill('true'),
    ...Array(2).fill(expect.objectContaining({ code: -32005, reason: 'refused-often' })),
  ]);
  expect(said.refused).toBe(3);
  expect(window.posted.filter(({ t }) => t === 'cancel').map(({ id }) => id)).toEqual([4, 5]);
});

test('a half goes with each offer, and is forgotten at the end', async () => {
  const { handover, windows, ask } = setUp();
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
  void ask('personal_sign');
  const [window] = windows as [FakeWindow];
  // Only from a window that has reported.
  window.say('half', { key });
  expect(handover.half()).toBeNull();
  window.say('hello');
  expect(window.offers()[0]).not.toHaveProperty('half');
  window.say('half', { key: 'no key' });
  expect(handover.half()).toBeNull();
  window.say('half', { key });
  void ask('personal_sign');
  expect(window.offers()[1]?.half).toBe(key);
  handover.close();
  expect(handover.half()).toBeNull();
});
