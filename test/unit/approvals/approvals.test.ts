import { describe, expect, test, vi } from 'vitest';
import { headless } from '../../../packages/kit/src/testing/headless.js';
import { createApprovals, type NewQuestion } from '../../../src/approvals/approvals.js';
import { mint, redeem } from '../../../src/approvals/approved.js';
import type { Answer, Approver, Question } from '../../../src/approvals/question.js';
import { ProviderRpcError } from '../../../src/rpc/errors.js';
import { fc } from '../../support/property.js';

const a = '0x00000000000000000000000000000000000000aa';
const b = '0x00000000000000000000000000000000000000bb';
const network = {
  chainId: 31,
  name: 'Test',
  symbol: 'tRBTC',
  decimals: 18,
  testnet: true,
  source: 'node.example',
};
const base = { origin: 'https://app.example', network, warnings: [] };
const connectQuestion = {
  ...base,
  kind: 'connect' as const,
  accounts: [
    { address: a, label: 'One' },
    { address: b, label: 'Two' },
  ] as const,
  selected: [a] as const,
};
const message: NewQuestion = {
  ...base,
  kind: 'message',
  method: 'personal_sign',
  account: { address: a, label: 'One' },
  bytes: '0x68',
  text: 'h',
  signIn: null,
};

const keys = (password = 'right') => {
  let locked = true;
  return {
    locked: () => locked,
    async unlock(given: string) {
      if (given !== password) throw new Error('wrong');
      locked = false;
    },
  };
};

const approvalsWith = (approver: Approver, lock = keys()) =>
  createApprovals({ approver: () => approver, lock: async () => lock, maxWaiting: 3 });

test('the approver is loaded once for all questions, and again after a failure', async () => {
  let loads = 0;
  const approvals = createApprovals({
    approver: async () => {
      if (++loads === 1) throw new Error('offline');
      return headless();
    },
    lock: async () => keys(),
  });
  await expect(approvals.request(message, null)).rejects.toMatchObject({ code: -32002 });
  await approvals.request(message, null);
  await approvals.connect(connectQuestion);
  expect(loads).toBe(2);
});

/** An approver that answers when the test says so. */
function person() {
  const open: { question: Question; answer: (answer: Answer) => void; signal: AbortSignal }[] = [];
  const approver: Approver = {
    ask: (question, { signal }) => new Promise((answer) => open.push({ question, answer, signal })),
  };
  return {
    approver,
    open,
    next: async () => {
      while (open.length === 0) await new Promise((resolve) => setTimeout(resolve));
      return open.shift() as (typeof open)[number];
    },
  };
}

describe('request', () => {
  test('an approval gives the subject of its request', async () => {
    const subject = { what: 'this' };
    const approved = await approvalsWith(headless()).request(message, subject);
    expect(redeem(approved)).toBe(subject);
  });

  test('a question without a subject can be agreed to', async () => {
    expect(redeem(await approvalsWith(headless()).request(message, null))).toBeNull();
  });

  test('an approval works once, and a forged one never', async () => {
    const approved = await approvalsWith(headless()).request(message, 1);
    redeem(approved);
    expect(() => redeem(approved)).toThrow(TypeError);
    expect(() => redeem({ subject: 1 } as never)).toThrow(TypeError);
    expect(redeem(mint(2))).toBe(2);
  });

  test('questions are shown one at a time, in order', async () => {
    const { approver, open, next } = person();
    const approvals = approvalsWith(approver);
    const first = approvals.request(message, 1);
    const second = approvals.request(message, 2);
    const shown = await next();
    expect(open).toHaveLength(0);
    shown.answer({ approved: true });
    await first;
    (await next()).answer({ approved: false });
    await expect(second).rejects.toMatchObject({ code: 4001 });
  });

  test('a question that needs keys is marked as locked, and its dialog unlocks them', async () => {
    const lock = keys();
    const approver = headless({ password: 'right' });
    await approvalsWith(approver, lock).request(message, 1, { needsKeys: true });
    expect(approver.asked[0]?.locked).toBe(true);
    expect(lock.locked()).toBe(false);
  });

  test.each<[string, Approver['ask']]>([
    ['an answer', async () => ({ approved: false })],
    ['an error', () => Promise.reject(new ProviderRpcError(4001, 'User rejected. (User denied.)'))],
  ])('a refusal as %s is 4001', async (_name, ask) => {
    const approvals = approvalsWith({ ask });
    const refused = { code: 4001, message: expect.stringMatching(/user rejected.*user denied/i) };
    await expect(approvals.request(message, 1)).rejects.toMatchObject(refused);
    await expect(approvals.connect(connectQuestion)).rejects.toMatchObject(refused);
  });

  test.each<[string, () => unknown, string?]>([
    ['no answer', () => undefined],
    ['null', () => null],
    ['a text', () => 'yes'],
    ['a number for approved', () => ({ approved: 1 })],
    ['an empty object', () => ({})],
    ['an error', () => Promise.reject(new Error('correct horse')), '(Error)'],
    [
      'a DOMException',
      () => Promise.reject(new DOMException('correct horse', 'InvalidStateError')),
      '(InvalidStateError)',
    ],
    ['a text that is thrown', () => Promise.reject('correct horse')],
    [
      'a throw at once',
      () => {
        throw new TypeError('correct horse');
      },
      '(TypeError)',
    ],
    [
      'an answer that throws when it is read',
      () => ({
        get approved() {
          throw new RangeError('correct horse');
        },
      }),
      '(RangeError)',
    ],
    [
      'an error of another code',
      () => Promise.reject(new ProviderRpcError(4100, 'correct horse')),
      '(ProviderRpcError)',
    ],
  ])('an approver that fails is no refusal: %s', async (_name, ask, name = '') => {
    const approvals = approvalsWith({ ask: ask as Approver['ask'] });
    const failed = {
      code: -32002,
      message: expect.stringMatching(/dialog failed.*nothing was signed/i),
      data: { reason: 'dialog-failed' },
    };
    for (const asked of [approvals.request(message, 1), approvals.connect(connectQuestion)]) {
      const error = await asked.catch((each: unknown) => each as ProviderRpcError);
      expect(error).toMatchObject(failed);
      expect((error as ProviderRpcError).message).toContain(name);
      expect((error as ProviderRpcError).message).not.toContain('horse');
    }
  });

  test('an approver that agrees without unlocking gets nothing signed', async () => {
    const approver: Approver = { ask: async () => ({ approved: true }) };
    await expect(approvalsWith(approver).request(message, 1, { needsKeys: true })).rejects.toMatchObject({
      code: 4100,
    });
  });

  test('an aborted request is refused at once, and its dialog closes', async () => {
    const { approver, next } = person();
    const abort = new AbortController();
    const asked = approvalsWith(approver).request(message, 1, { signal: abort.signal });
    const { signal } = await next();
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: 4001 });
    expect(signal.aborted).toBe(true);
  });

  test('a question that waits for its turn is refused as soon as it is aborted', async () => {
    const { approver, next } = person();
    const approvals = approvalsWith(approver);
    const abort = new AbortController();
    const first = approvals.request(message, 1);
    const second = approvals.request(message, 2, { signal: abort.signal });
    const shown = await next();
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: 4001 });
    shown.answer({ approved: true });
    await first;
  });

  test('an approver that never answers does not outlive the wallet', async () => {
    const approvals = createApprovals({
      approver: () => new Promise(() => {}),
      lock: () => new Promise(() => {}),
    });
    const asked = [approvals.request(message, 1), approvals.request(message, 2, { needsKeys: true })];
    approvals.close();
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: 4001 });
  });

  test('keys that locked while the dialog was open cause a second question with the password', async () => {
    let locked = false;
    const seen: boolean[] = [];
    const approver: Approver = {
      async ask(question, { unlock }) {
        seen.push(question.locked);
        if (question.locked) await unlock('right');
        else locked = true;
        return { approved: true };
      },
    };
    const lock = {
      locked: () => locked,
      unlock: async () => {
        locked = false;
      },
    };
    await createApprovals({ approver: () => approver, lock: async () => lock }).request(message, 1, {
      needsKeys: true,
    });
    expect(seen).toEqual([false, true]);
  });

  test('a permission that is revoked while the dialog is open refuses the approval', async () => {
    const asked = approvalsWith(headless()).request(message, 1, { stillAllowed: () => false });
    await expect(asked).rejects.toMatchObject({ code: 4100 });
  });

  test('an answer that throws when it is read does not block the queue', async () => {
    const trap = {
      get approved(): true {
        throw new Error('mine');
      },
    };
    const approvals = approvalsWith({ ask: async () => trap });
    await expect(approvals.request(message, 1)).rejects.toMatchObject({ code: -32002 });
    await expect(approvals.request(message, 2)).rejects.toMatchObject({ code: -32002 });
  });

  test.each([
    ['4200, because nobody can be asked where it is', 4200, 4200],
    ['4001, for a person who refused', 4001, 4001],
    ['4100, as a wrong password is', 4100, -32002],
    ['-32603, which libraries retry', -32603, -32002],
  ])('an approver that rejects with %s', async (_, code, expected) => {
    const approvals = approvalsWith({ ask: () => Promise.reject(new ProviderRpcError(code, 'Why.')) });
    await expect(approvals.request(message, 1)).rejects.toMatchObject({ code: expected });
    await expect(approvals.connect(connectQuestion)).rejects.toMatchObject({ code: expected });
  });

  test.each([
    'Failed to fetch dynamically imported module: https://cdn.example/dialog.js',
    'error loading dynamically imported module: https://cdn.example/dialog.js',
    'Importing a module script failed.',
    'graft-dialog.js is missing, or of another version',
  ])('a dialog that did not load is no refusal: the person was shown nothing (%s)', async (text) => {
    const approver = () => Promise.reject(new TypeError(text));
    const approvals = createApprovals({ approver, lock: async () => keys() });
    const missing = { code: -32002, message: expect.not.stringContaining('cdn.example') };
    await expect(approvals.request(message, 1)).rejects.toMatchObject(missing);
    await expect(approvals.connect(connectQuestion)).rejects.toMatchObject(missing);
  });

  test('closing refuses the open question, the waiting ones and all later ones', async () => {
    const { approver, next } = person();
    const approvals = approvalsWith(approver);
    const asked = [approvals.request(message, 1), approvals.request(message, 2)];
    await next();
    approvals.close();
    for (const each of [...asked, approvals.request(message, 3)])
      await expect(each).rejects.toMatchObject({ code: 4001 });
  });

  test('a dialog that died without a word is refused when its time is over, and the next one is shown', async () => {
    vi.useFakeTimers();
    const { approver, open } = person();
    const approvals = approvalsWith(approver);
    const dead = approvals.request(message, 1);
    const next = approvals.request(message, 2);
    await vi.advanceTimersByTimeAsync(599_999);
    expect(open).toHaveLength(1);
    const refused = expect(dead).rejects.toMatchObject({ code: 4001 });
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(open[0]?.signal.aborted).toBe(true);
    expect(open).toHaveLength(2);
    // The time of the next one begins when it is shown.
    await vi.advanceTimersByTimeAsync(599_999);
    // Too late: nothing is approved by a dialog that was closed.
    open[0]?.answer({ approved: true });
    open[1]?.answer({ approved: true });
    expect(redeem(await next)).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('an approver that awaits a request of its own is refused, and that request is shown next', async () => {
    const seen: string[] = [];
    const approver: Approver = {
      async ask({ id }) {
        seen.push(id);
        // It waits for its own turn, which comes after this answer.
        if (seen.length === 1) await approvals.request(message, 'inner');
        return { approved: true };
      },
    };
    const approvals = createApprovals({
      approver: () => approver,
      lock: async () => keys(),
      openFor: 50,
    });
    await expect(approvals.request(message, 'outer')).rejects.toMatchObject({ code: 4001 });
    expect(redeem(await approvals.request(message, 'after'))).toBe('after');
    expect(seen).toEqual(['q1', 'q2', 'q3']);
  });

  test('sixty refusals in a row are sixty questions, and the next one is asked too', async () => {
    let asked = 0;
    const approvals = approvalsWith({ ask: async () => ({ approved: ++asked > 60 }) as Answer });
    for (let i = 0; i < 60; i++)
      await expect(approvals.request(message, i)).rejects.toMatchObject({ code: 4001 });
    expect(redeem(await approvals.request(message, 'after'))).toBe('after');
  });

  test('one origin can have only so many waiting; answers make room', async () => {
    const { approver, next } = person();
    const approvals = approvalsWith(approver);
    const waiting = [1, 2, 3].map((subject) => approvals.request(message, subject));
    await expect(approvals.request(message, 4)).rejects.toMatchObject({
      code: -32005,
      message: expect.stringContaining('pending approvals'),
    });
    const other = approvals.request({ ...message, origin: 'https://other.example' } as NewQuestion, 5);
    for (const each of [...waiting, other]) {
      (await next()).answer({ approved: true });
      await each;
    }
    const after = approvals.request(message, 6);
    (await next()).answer({ approved: true });
    await after;
  });
});

describe('connect', () => {
  test('an approver’s choice of accounts is the answer to a connect question', async () => {
    const approver = headless({ answer: () => ({ approved: true, accounts: [b] }) });
    expect(await approvalsWith(approver).connect(connectQuestion)).toEqual([b]);
  });

  test('agreeing without a choice takes the selected accounts', async () => {
    expect(await approvalsWith(headless()).connect(connectQuestion)).toEqual([a]);
  });

  test('accounts are shared once each, in the order in which they were chosen', async () => {
    const approver = headless({ answer: () => ({ approved: true, accounts: [b, a, b] }) });
    expect(await approvalsWith(approver).connect(connectQuestion)).toEqual([b, a]);
  });

  test('a refusal, and a choice that is no list', async () => {
    const answers = [
      { approved: false },
      { approved: true, accounts: 'all' },
      { approved: true, accounts: [] },
    ];
    for (const answer of answers as Answer[])
      await expect(
        approvalsWith(headless({ answer: () => answer })).connect(connectQuestion),
      ).rejects.toMatchObject({ code: 4001 });
  });

  test('accounts that were not offered are not shared', async () => {
    const stranger = '0x00000000000000000000000000000000000000cc';
    const approver = headless({ answer: () => ({ approved: true, accounts: [stranger] }) });
    await expect(approvalsWith(approver).connect(connectQuestion)).rejects.toMatchObject({ code: 4001 });
  });
});

describe('waiting', () => {
  test('a question says its place among those that wait, and nothing where it is alone', async () => {
    const { approver, next } = person();
    const approvals = approvalsWith(approver);
    const places: unknown[] = [];
    const agree = async () => {
      const { question, answer } = await next();
      places.push(question.waiting);
      answer({ approved: true });
    };
    const first = approvals.request(message, 1);
    await agree();
    await first;
    const asked = [2, 3, 4].map((subject) => approvals.request(message, subject));
    for (let i = 0; i < 3; i++) await agree();
    await Promise.all(asked);
    const last = approvals.request(message, 5);
    await agree();
    await last;
    expect(places).toEqual([
      undefined,
      { index: 1, count: 3 },
      { index: 2, count: 3 },
      { index: 3, count: 3 },
      undefined,
    ]);
  });
});

describe('several origins', () => {
  const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'];
  const of = (origin: string) => ({ ...message, origin }) as NewQuestion;

  /** Asks in this order, answers each question as it is shown, and returns whose they were, with their places. */
  async function shown(origins: readonly string[]) {
    const seen: string[] = [];
    const approver = headless({
      answer: ({ origin, waiting }) => {
        seen.push(`${origin.slice(8, 9)}${waiting ? ` ${waiting.index}/${waiting.count}` : ''}`);
        return true;
      },
    });
    const approvals = createApprovals({
      approver: () => approver,
      lock: async () => keys(),
      maxWaiting: 200,
    });
    await Promise.all(origins.map((origin) => approvals.request(of(origin), null)));
    return seen;
  }

  test('three questions at most of another origin with 200 are shown before one of this origin', async () => {
    const seen = await shown([...Array.from({ length: 200 }, () => a), b, c]);
    expect(seen.slice(0, 6)).toEqual(['a 1/200', 'a 2/200', 'a 3/200', 'b', 'c', 'a 4/200']);
    expect(seen).toHaveLength(202);
  });

  test("the place of a question counts its own origin's questions alone", async () => {
    expect(await shown([a, b, a, b])).toEqual(['a 1/2', 'a 2/2', 'b 1/2', 'b 2/2']);
  });

  test('in any order of questions each origin keeps its order, and waits for at most three of each other origin', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(a, a, a, b, c), { minLength: 1, maxLength: 40 }),
        async (origins) => {
          const seen = (await shown(origins)).map((each) => each.slice(0, 1));
          for (const own of ['a', 'b', 'c']) {
            const count = origins.filter((each) => each.slice(8, 9) === own).length;
            expect(seen.filter((each) => each === own)).toHaveLength(count);
            let gap = 0;
            for (const each of seen.slice(0, seen.lastIndexOf(own) + 1)) {
              gap = each === own ? 0 : gap + 1;
              expect(gap).toBeLessThanOrEqual(6);
            }
          }
        },
      ),
      { seed: 4, numRuns: 100 },
    );
  });

  test('a limit of waiting questions is reached by one origin alone', async () => {
    const { approver } = person();
    const approvals = createApprovals({ approver: () => approver, lock: async () => keys() });
    const outcomes: unknown[] = [];
    for (const origin of [a, b, c])
      for (let i = 0; i < 25; i++)
        approvals.request(of(origin), null).catch((error) => outcomes.push(`${origin} ${error.code}`));
    await new Promise((resolve) => setTimeout(resolve));
    expect(outcomes).toEqual(
      [a, b, c].flatMap((origin) => Array.from({ length: 5 }, () => `${origin} -32005`)),
    );
    approvals.close();
  });
});

describe('revise', () => {
  const agreeing = (answer: object) => headless({ password: 'right', answer: () => answer as Answer });

  test('its result is what is approved', async () => {
    const approved = await approvalsWith(agreeing({ approved: true, gasPrice: '0x7' })).request(
      message,
      { price: '0x5' },
      { revise: (subject, { gasPrice }) => ({ ...subject, price: gasPrice as string }) },
    );
    expect(redeem(approved)).toEqual({ price: '0x7' });
  });

  test('null counts as a refusal, and without it choices have no effect', async () => {
    const approvals = approvalsWith(agreeing({ approved: true, gasPrice: '0x7' }));
    await expect(approvals.request(message, 1, { revise: () => null })).rejects.toMatchObject({ code: 4001 });
    expect(redeem(await approvals.request(message, 1))).toBe(1);
  });

  test('it is not called for a refusal', async () => {
    const revise = vi.fn(() => 1);
    await expect(
      approvalsWith(agreeing({ approved: false })).request(message, 1, { revise }),
    ).rejects.toMatchObject({ code: 4001 });
    expect(revise).not.toHaveBeenCalled();
  });

  test('an approver that changes its copy of the question changes no bounds', async () => {
    const bounds = { maximum: '0x5' };
    const question = { ...message, choices: bounds } as NewQuestion;
    const approver: Approver = {
      async ask(shown) {
        (shown as unknown as { choices: { maximum: string } }).choices.maximum = '0xff';
        return { approved: true };
      },
    };
    await approvalsWith(approver).request(question, 1);
    expect(bounds.maximum).toBe('0x5');
  });
});
