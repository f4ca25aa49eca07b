import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDailyQuota, type QuotaStore } from '../../../../src/service/rate-limit/daily-quota.js';
import { fc } from '../../../support/property.js';

const day = 86_400_000;
const monday = Date.UTC(2026, 10, 23);
const [person, read, background] = [0, 1, 2];

beforeEach(() => void vi.useFakeTimers({ now: monday }));
afterEach(() => void vi.useRealTimers());

/** One place for several tabs. */
function storeOf(text: string | null = null) {
  const store = { text, writes: 0 };
  const port: QuotaStore = {
    read: () => store.text,
    write(next) {
      store.text = next;
      store.writes++;
    },
  };
  return { store, port };
}

function tabOf(
  store: QuotaStore = storeOf().port,
  perDay: number | null = 1_000,
  connected: readonly string[] = [],
) {
  const told: string[] = [];
  const quota = createDailyQuota({
    perDay,
    store,
    now: Date.now,
    onChange: () => told.push(quota.state()),
    connected: () => connected,
  });
  onTestFinished(() => quota.close());
  const send = (times: number, dapp: string | null = null) => {
    for (let i = 0; i < times; i++) quota.count(dapp);
  };
  /** Sends as often as the quota lets, at most `times`; returns how often. */
  const flood = (dapp: string | null, times = 2_000, urgency = read, isSend = false) => {
    for (let sent = 0; sent < times; sent++) {
      if (quota.refusal(urgency, isSend, dapp)) return sent;
      quota.count(dapp);
    }
    return times;
  };
  return { ...quota, told, send, flood };
}

describe('refusal', () => {
  test('refuses nothing while the quota suffices', () => {
    const tab = tabOf();
    tab.send(200);
    for (const urgency of [person, read, background]) expect(tab.refusal(urgency, false)).toBeUndefined();
    expect([tab.state(), tab.today(), tab.slowdown()]).toEqual(['normal', 200, 1]);
  });

  test('reserves the last fiftieth for requests of a person', () => {
    vi.setSystemTime(monday + day - 3_600_000);
    const tab = tabOf();
    tab.send(979);
    expect([tab.state(), tab.refusal(background, false)]).toEqual(['saving', undefined]);
    tab.send(1);
    expect(tab.state()).toBe('reserved');
    expect(tab.refusal(person, false)).toBeUndefined();
    for (const urgency of [read, background])
      expect(tab.refusal(urgency, false)).toMatchObject({
        code: -32005,
        data: { reason: 'quota', retryAfter: 3_600 },
      });
  });

  test('never refuses signed transactions', () => {
    const tab = tabOf();
    tab.send(1_000);
    expect(tab.state()).toBe('spent');
    expect(tab.refusal(person, true)).toBeUndefined();
    expect(tab.refusal(person, false)).toMatchObject({ code: -32005, data: { reason: 'quota' } });
  });

  test('refuses nothing with perDay null', () => {
    const tab = tabOf(storeOf().port, null);
    tab.send(100_000);
    expect([tab.state(), tab.slowdown(), tab.refusal(background, false)]).toEqual(['normal', 1, undefined]);
  });

  test('a new day begins at midnight UTC, and onChange is called', async () => {
    vi.setSystemTime(monday + day - 100_000);
    const tab = tabOf();
    tab.send(1_000);
    expect(tab.told.at(-1)).toBe('spent');
    await vi.advanceTimersByTimeAsync(99_000);
    expect(tab.refusal(read, false)).toMatchObject({ data: { retryAfter: 1 } });
    await vi.advanceTimersByTimeAsync(61_000);
    expect([tab.refusal(background, false), tab.today()]).toEqual([undefined, 0]);
    expect(tab.told.at(-1)).toBe('normal');
  });
});

describe('slowdown', () => {
  test('doubles each time the rest halves, from a tenth on', () => {
    vi.setSystemTime(monday + day - 1);
    const tab = tabOf(storeOf().port, 10_000);
    const seen: number[][] = [];
    for (const used of [8_999, 9_000, 9_500, 9_750, 9_800, 9_999, 10_000]) {
      tab.send(used - tab.today());
      seen.push([used, tab.slowdown()]);
    }
    expect(seen).toEqual([
      [8_999, 1],
      [9_000, 2],
      [9_500, 4],
      [9_750, 8],
      [9_800, 8],
      [9_999, 16],
      [10_000, 16],
    ]);
  });

  test('begins at 1.5 times the even rate', () => {
    vi.setSystemTime(monday + day / 2);
    const tab = tabOf();
    tab.send(749);
    expect([tab.slowdown(), tab.state()]).toEqual([1, 'normal']);
    tab.send(1);
    expect([tab.slowdown(), tab.state()]).toEqual([2, 'saving']);
    vi.setSystemTime(monday + (day * 3) / 4);
    expect([tab.slowdown(), tab.state()]).toEqual([1, 'normal']);
  });

  test('three tenths of the quota may be used early in the day', () => {
    const tab = tabOf();
    tab.send(299);
    expect(tab.slowdown()).toBe(1);
    tab.send(1);
    expect(tab.slowdown()).toBe(2);
    tab.send(300);
    expect(tab.slowdown()).toBe(4);
  });

  test('onChange is called once per change', async () => {
    const tab = tabOf();
    tab.send(1_000);
    expect(tab.told).toEqual(['saving', 'reserved', 'spent']);
  });
});

describe('tabs', () => {
  test('tabs share one count', async () => {
    const { port, store } = storeOf();
    const [one, two] = [tabOf(port), tabOf(port)];
    one.send(150);
    two.send(250);
    await vi.advanceTimersByTimeAsync(2_001);
    expect([one.state(), two.state()]).toEqual(['saving', 'saving']);
    expect([one.today(), two.today()]).toEqual([400, 400]);
    expect(store.writes).toBeLessThan(30);
  });

  test('a tab that opens later reads the count and the reported state, and calls onChange', async () => {
    const { port } = storeOf();
    const first = tabOf(port);
    first.send(985);
    first.markSpent();
    first.close();
    const second = tabOf(port);
    expect([second.today(), second.state()]).toEqual([985, 'spent']);
    await vi.advanceTimersByTimeAsync(0);
    expect(second.told).toEqual(['spent']);
    second.answered(second.count() - 1);
    expect(second.state()).toBe('spent');
    second.answered(second.count());
    expect([second.today(), second.state()]).toEqual([987, 'reserved']);
  });

  test('a lost update loses at most one batch', async () => {
    const { port, store } = storeOf();
    const one = tabOf(port);
    one.send(100);
    await vi.advanceTimersByTimeAsync(2_000);
    one.send(20);
    // Another tab read 100 before, and writes now.
    store.text = `${monday / day} 105 0`;
    await vi.advanceTimersByTimeAsync(2_000);
    one.send(1);
    await vi.advanceTimersByTimeAsync(2_000);
    const sent = 100 + 20 + 5 + 1;
    expect(one.today()).toBeLessThanOrEqual(sent);
    expect(one.today()).toBeGreaterThan(sent - 20);
    expect(tabOf(port).today()).toBe(one.today());
  });

  test('in any order of tabs only concurrent updates are lost', async () => {
    const turns = fc.array(
      fc.record({
        tab: fc.integer({ min: 0, max: 2 }),
        sent: fc.integer({ min: 0, max: 30 }),
        pass: fc.integer({ min: 0, max: 3_000 }),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(turns, async (steps) => {
        vi.setSystemTime(monday);
        const { port } = storeOf();
        const tabs = [1, 2, 3].map(() => tabOf(port, 1e6));
        let sum = 0;
        for (const { tab, sent, pass } of steps) {
          tabs[tab]?.send(sent);
          sum += sent;
          await vi.advanceTimersByTimeAsync(pass);
        }
        await vi.advanceTimersByTimeAsync(2_000);
        for (const tab of tabs) tab.state();
        expect(tabs.map((tab) => tab.today())).toEqual([sum, sum, sum]);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    '',
    'x',
    '1',
    '-1 2 3',
    '1e99 1 1',
    'NaN 5 5',
    '[]',
    `${monday / day} 5.5 0`,
    `${monday / day - 1} 999 0`,
  ])('an invalid or old entry is ignored: %j', (text) => {
    const tab = tabOf(storeOf(text).port);
    expect([tab.today(), tab.state()]).toEqual([0, 'normal']);
  });

  test('with a store that fails the page counts by itself', () => {
    const fail = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    const tab = tabOf({ read: fail, write: fail });
    tab.send(500);
    expect([tab.today(), tab.state()]).toEqual([500, 'saving']);
  });

  test('a clock that is set back starts a new count', async () => {
    const { port } = storeOf();
    const tab = tabOf(port);
    tab.send(1_000);
    vi.setSystemTime(monday - day);
    expect([tab.state(), tab.today()]).toEqual(['normal', 0]);
  });
});

describe('markSpent', () => {
  test('refuses reads for 15 minutes whatever was counted, but not a person', async () => {
    const tab = tabOf();
    tab.markSpent();
    expect([tab.state(), tab.slowdown()]).toEqual(['spent', 16]);
    expect(tab.refusal(read, false)).toMatchObject({
      code: -32005,
      data: { reason: 'quota', retryAfter: 900 },
    });
    expect(tab.refusal(person, false)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(900_000);
    expect([tab.state(), tab.refusal(read, false)]).toEqual(['normal', undefined]);
  });

  test.each([
    [0, 30],
    [60, 60],
    [86_400, 900],
  ])('a report for %i seconds holds for %i seconds', (said, believed) => {
    const tab = tabOf();
    tab.markSpent(said);
    expect(tab.refusal(background, false)).toMatchObject({ data: { retryAfter: believed } });
  });

  test('an answer ends it in all tabs', async () => {
    const { port } = storeOf();
    const [one, two] = [tabOf(port), tabOf(port)];
    one.markSpent();
    await vi.advanceTimersByTimeAsync(1_001);
    expect(two.state()).toBe('spent');
    two.answered(two.count());
    await vi.advanceTimersByTimeAsync(1_001);
    expect([one.state(), two.state()]).toEqual(['normal', 'normal']);
  });
});

test('leaves no timer after close', () => {
  const tab = tabOf();
  tab.send(1_000);
  tab.close();
  tab.send(3);
  expect(vi.getTimerCount()).toBe(0);
});

describe('shares of dapps', () => {
  const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'];

  test('a dapp that is alone may use the whole quota but the reserve, as a page that shares with none', () => {
    expect(tabOf().flood(a)).toBe(tabOf().flood(null));
  });

  test('a dapp that floods stops at half of what is left, and each later one at half of the rest', () => {
    const { port } = storeOf();
    const tabs = [a, b, c].map((dapp) => ({ dapp, tab: tabOf(port, 1_000, [a, b, c]) }));
    const sent = tabs.map(({ dapp, tab }) => {
      vi.advanceTimersByTime(2_000);
      return tab.flood(dapp);
    });
    // Each leaves the others what these keep in any case, 40 each.
    expect(sent).toEqual([450, 245, 143]);
  });

  test('all subdomains of one registrable domain, with any port, are one site with one share', () => {
    const { port, store } = storeOf();
    const tab = tabOf(port, 25_000, [a]);
    const sent = Array.from({ length: 14 }, (_, i) =>
      tab.flood(`https://a${i}.evil.example:${4_000 + i}`, 30_000),
    );
    expect(sent[0]).toBe(11_750);
    expect(sent.slice(1)).toEqual(Array(13).fill(0));
    expect(tab.flood(a, 30_000)).toBe(6_375);
    tab.close();
    expect(store.text).toBe(
      `${monday / day} 18125 0 evil.example ${monday / day} 11750 a.example ${monday / day} 6375`,
    );
    expect(tabOf().flood('https://x.a.example')).toBe(980);
  });

  test('a site that the person has connected keeps a part of the day, however many domains flood', () => {
    const { port } = storeOf();
    const tab = tabOf(port, 25_000, [a, b, 'https://other.b.example']);
    for (let i = 0; i < 40; i++) tab.flood(`https://evil${i}.example`, 30_000);
    expect(tab.flood('https://new.example')).toBe(0);
    expect(tab.flood(b, 30_000, person)).toBe(1_000);
    vi.advanceTimersByTime(2_000);
    const later = tabOf(port, 25_000, [a, b]);
    expect([later.slowdown(a), later.flood(a, 30_000)]).toEqual([1, 1_000]);
    expect([later.flood(a), later.flood(b)]).toEqual([0, 0]);
    expect(later.today()).toBeLessThanOrEqual(24_500);
  });

  test('many connected sites keep at most half of the day', () => {
    const sites = Array.from({ length: 50 }, (_, i) => `https://site${i}.example`);
    const tab = tabOf(undefined, 1_000, sites);
    expect(tab.flood(a)).toBe(240);
    expect(tab.flood(sites[7] as string)).toBeGreaterThanOrEqual(10);
  });

  test('origins in the counts of an older build count for their sites', () => {
    const today = monday / day;
    const tab = tabOf(storeOf(`${today} 500 0 https://app.a.example ${today} 490`).port, 1_000, [b]);
    expect(tab.flood(a)).toBe(0);
  });

  test('the refusal names the share, and says when it begins again', () => {
    const tab = tabOf(undefined, 1_000, [a, b]);
    tab.flood(a);
    expect(tab.refusal(read, false, a)).toMatchObject({
      code: -32005,
      data: { reason: 'quota-share', retryAfter: 86_400 },
    });
    vi.setSystemTime(monday + day);
    expect(tab.refusal(read, false, a)).toBeUndefined();
  });

  test('raw sends of a dapp count for its share, and sends that a person approved do not', () => {
    const tab = tabOf(undefined, 1_000, [a, b]);
    expect(tab.flood(a, 2_000, person, true)).toBe(470);
    expect(tab.refusal(person, true, a)).toMatchObject({ data: { reason: 'quota-share' } });
    expect(tab.refusal(person, true)).toBeUndefined();
    expect(tab.refusal(person, false)).toBeUndefined();
  });

  test('questions of a dapp leave at least half of the reserve to the person', () => {
    const tab = tabOf(undefined, 1_000, [a, b, c]);
    for (const dapp of [a, b]) tab.flood(dapp);
    tab.send(980 - tab.today());
    expect(tab.state()).toBe('reserved');
    for (const dapp of [a, b, c]) tab.flood(dapp, 2_000, person);
    expect(tab.today()).toBeLessThanOrEqual(990);
    expect(tab.refusal(person, false)).toBeUndefined();
  });

  test('a dapp that came too late once is known from then on, for a week', () => {
    const { port } = storeOf();
    const [first, second] = [tabOf(port), tabOf(port)];
    expect(first.flood(a)).toBe(980);
    vi.advanceTimersByTime(2_000);
    expect(second.flood(b)).toBe(0);
    vi.advanceTimersByTime(2_000);
    for (const [days, most] of [
      [1, 490],
      [6, 490],
      [8, 980],
    ] as const) {
      vi.setSystemTime(monday + days * day + 1);
      expect(first.flood(a)).toBe(most);
    }
  });

  test("a flood of one dapp does not slow another's background work, but its own", () => {
    const { port } = storeOf();
    const [first, second] = [tabOf(port, 1_000, [a, b]), tabOf(port, 1_000, [a, b])];
    first.flood(a);
    vi.advanceTimersByTime(2_000);
    expect([first.slowdown(a), second.slowdown(b)]).toEqual([16, 1]);
  });

  test('a text that an older build wrote, or another script, is read as one without dapps', () => {
    const today = monday / day;
    for (const rest of ['', ' x', ' x y z', ` ${a} -1 5`, ` ${a} ${today} NaN ${b} 1e99 3`]) {
      const tab = tabOf(storeOf(`${today} 100 0${rest}`).port);
      expect([tab.today(), tab.flood(c)]).toEqual([100, 880]);
    }
  });

  test('no dapp is refused before it has used as much as is left, whatever the others do', () => {
    const step = fc.record({
      who: fc.nat(3),
      times: fc.integer({ min: 1, max: 400 }),
      urgency: fc.nat(2),
      isSend: fc.boolean(),
      pause: fc.nat(3_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        vi.setSystemTime(monday);
        const { port } = storeOf();
        const dapps = [a, b, c, null];
        const tabs = dapps.map(() => tabOf(port, 1_000, [a, b, c]));
        const sent = new Map<string | null, number>();
        for (const { who, times, urgency, isSend, pause } of steps) {
          // Each tab sees the counts of the others at the latest after a second.
          vi.advanceTimersByTime(1_100 + pause);
          const dapp = dapps[who] as string | null;
          const mine = sent.get(dapp) ?? 0;
          const total = [...sent.values()].reduce((sum, each) => sum + each, 0);
          const done = tabs[who]?.flood(dapp, times, urgency, isSend) ?? 0;
          sent.set(dapp, mine + done);
          if (dapp === null) continue;
          // What the two others keep, and what this one keeps while the reserve is whole.
          const kept = [a, b, c]
            .filter((each) => each !== dapp)
            .reduce((sum, each) => sum + Math.max(0, 40 - (sent.get(each) ?? 0)), 0);
          const least = Math.max(0, Math.min(40 - mine, 980 - total));
          const half = (all: number) => Math.ceil((all - total - kept - mine) / 2);
          expect(done).toBeGreaterThanOrEqual(Math.min(times, Math.max(least, half(980))));
          const most = urgency === person && !isSend ? 1_000 : 980;
          expect(done).toBeLessThanOrEqual(Math.max(least, half(most)));
        }
      }),
      { seed: 8, numRuns: 100 },
    );
  });
});
