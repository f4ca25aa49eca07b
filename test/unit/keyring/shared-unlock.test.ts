import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mint } from '../../../src/approvals/approved.js';
import { strongKdf } from '../../../src/keyring/kdf/kdf.js';
import type { createKeyring, Keyring } from '../../../src/keyring/keyring.js';
import { createIdbStorage } from '../../../src/storage/idb.js';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createFakeAuthenticator } from '../../support/fake-authenticator.js';
import { createRandom } from '../../support/random.js';
import { waitFor } from '../../support/wait-for.js';
import { createOldProfile, oldPassword } from './old-vaults.js';
import { createProfile, quickKdf } from './profile.js';

const [dapp, other] = ['https://app.example', 'https://other.example'];
const key = (n: number) => ({ type: 'private-key', privateKey: `0x${`${n}${n}`.repeat(32)}` }) as const;
const minute = 60_000;
const hour = 60 * minute;
const passkey = { passkey: true } as const;

beforeEach(() => vi.stubGlobal('location', { hostname: 'wallet.example' }));
const opened: Storage[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  for (const storage of opened.splice(0)) storage.close();
});

interface Unlock {
  readonly v: number;
  readonly origin: string;
  readonly vaultId: string;
  readonly since: number;
  readonly until: number;
  readonly iv: string;
  readonly ct: string;
}

/** A keyring that shares its unlocks for a dapp. */
function serving(keyring: Keyring, origin = dapp): Keyring {
  keyring.shareUnlocks(origin);
  return keyring;
}

let databases = 0;

/** The documents of a wallet's site, with one vault. `serve` is a document for a dapp, as the frame or a window has it. */
async function createSite(storage: Storage = createIdbStorage({ name: `shared-unlock-${++databases}` })) {
  opened.push(storage);
  const profile = createProfile(storage);
  const authenticator = createFakeAuthenticator();
  const page = (options: Partial<createKeyring.Options> = {}) => profile.page({ authenticator, ...options });
  const serve = (origin = dapp, options: Partial<createKeyring.Options> = {}) =>
    serving(page(options), origin);
  await page().create(key(1), 'a password');
  return {
    ...profile,
    page,
    serve,
    unlocks: async () => ((await storage.get('vault', 'unlocks')) ?? []) as readonly Unlock[],
    /** Writes the stored halves, as any writer of the storage can. */
    rewrite: (change: (unlocks: readonly Unlock[]) => unknown) =>
      storage.update('vault', 'unlocks', (unlocks) => change((unlocks ?? []) as readonly Unlock[])),
  };
}

/** A document that a person has unlocked, and its half. */
async function unlockedAt(serve: (origin?: string) => Keyring, origin = dapp) {
  const keyring = serve(origin);
  await keyring.unlock('a password');
  return { keyring, half: keyring.unlockHalf() as CryptoKey };
}

const signs = async (keyring: Keyring): Promise<boolean> => {
  const [account] = await keyring.accounts();
  const subject = mint<Keyring.MessageSubject>({
    type: 'message',
    from: account?.address as `0x${string}`,
    bytes: '0x00',
  });
  return /^0x[0-9a-f]{130}$/.test(await keyring.signMessage(subject));
};
const refused = { code: 4100 };

describe('an unlock in two halves', () => {
  test('opens in another document of the same dapp without a password, and that hands its half on', async () => {
    const { serve } = await createSite();
    const { half } = await unlockedAt(serve);
    let last = half;
    for (let document = 0; document < 3; document++) {
      const keyring = serve();
      await keyring.unlockShared(last);
      expect(await signs(keyring)).toBe(true);
      last = keyring.unlockHalf() as CryptoKey;
      expect(last).toBe(half);
    }
  });

  test('begins at a creation, at an unlock by a passkey, and at the unlock that upgrades a vault', async () => {
    const site = await createSite();
    const created = site.serve();
    await created.create(key(2), { password: 'a password', passkey: { name: 'x' } }, { replace: true });
    await site.serve().unlockShared(created.unlockHalf() as CryptoKey);
    const unlocked = site.serve();
    await unlocked.unlock(passkey);
    await site.serve().unlockShared(unlocked.unlockHalf() as CryptoKey);
    const old = await createOldProfile('password');
    const upgraded = serving(old.page());
    await upgraded.unlock(oldPassword);
    const next = serving(old.page());
    await next.unlockShared(upgraded.unlockHalf() as CryptoKey);
    expect(await next.accounts()).toHaveLength(2);
  });

  test('is never shared by a wallet in the page of the dapp', async () => {
    const { page, serve, unlocks } = await createSite();
    const keyring = page();
    await keyring.unlock('a password');
    expect([keyring.unlockHalf(), await unlocks()]).toEqual([null, []]);
    await keyring.renewShared();
    const { half } = await unlockedAt(serve);
    await expect(page().unlockShared(half)).rejects.toMatchObject(refused);
  });

  test('the stored half is bound to its dapp, vault and time, and the other half cannot be exported', async () => {
    const { serve, unlocks, clock } = await createSite();
    const { half, keyring } = await unlockedAt(serve);
    expect(half).toMatchObject({ extractable: false, algorithm: { name: 'AES-GCM', length: 256 } });
    await expect(crypto.subtle.exportKey('raw', half)).rejects.toThrow();
    const since = clock.now();
    const bytes = expect.any(String);
    expect(await unlocks()).toEqual([
      { v: 1, origin: dapp, vaultId: bytes, since, until: since + 15 * minute, iv: bytes, ct: bytes },
    ]);
    keyring.lock();
    expect(keyring.unlockHalf()).toBeNull();
  });

  test('a document that is left or closed keeps the halves, for the frame that it served', async () => {
    const { serve, unlocks } = await createSite();
    const target = new EventTarget();
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
    for (const [at, leave] of [
      () => target.dispatchEvent(new Event('pagehide')),
      (keyring: Keyring) => keyring.close(),
    ].entries()) {
      const { keyring, half } = await unlockedAt(serve);
      leave(keyring);
      expect([keyring.locked(), keyring.unlockHalf()]).toEqual([true, null]);
      expect(await unlocks()).toHaveLength(at + 1);
      const next = serve();
      await next.unlockShared(half);
      expect(await signs(next)).toBe(true);
    }
  });

  test('unlocks of several dapps stay apart, each under its own key', async () => {
    const { serve, unlocks } = await createSite();
    const first = await unlockedAt(serve, dapp);
    const second = await unlockedAt(serve, other);
    expect((await unlocks()).map(({ origin }) => origin)).toEqual([dapp, other]);
    for (const [origin, half, isRight] of [
      [dapp, first.half, true],
      [other, second.half, true],
      [dapp, second.half, false],
      [other, first.half, false],
    ] as const) {
      const opening = serve(origin).unlockShared(half);
      if (isRight) await opening;
      else await expect(opening).rejects.toMatchObject(refused);
    }
  });

  test.each([
    ['lock() in any document', async (site: Site) => site.page().lock()],
    ['lock() in the document of another dapp', async (site: Site) => site.serve(other).lock()],
    ['a change of the password', (site: Site) => site.page().changePassword('a password', 'another one')],
    [
      'a new passkey',
      async ({ page }: Site) => {
        const keyring = page();
        await keyring.unlock('a password');
        await keyring.addPasskey('x');
      },
    ],
    [
      'another wallet in its place',
      async ({ page }: Site) => void (await page().create(key(3), 'new', { replace: true })),
    ],
    ['an erasure', (site: Site) => site.page().erase()],
  ])('%s ends those of all dapps', async (_, end) => {
    const site = await createSite();
    const halves = [await unlockedAt(site.serve, dapp), await unlockedAt(site.serve, other)];
    expect(await site.unlocks()).toHaveLength(2);
    const stored = await site.unlocks();
    await end(site);
    expect(await site.unlocks()).toEqual([]);
    for (const [at, { half }] of halves.entries())
      await expect(site.serve([dapp, other][at]).unlockShared(half)).rejects.toMatchObject(refused);
    if (!/password|passkey|wallet|erasure/.test(_)) return;
    // A half that a writer put back opens nothing after the vault has other keys.
    await site.rewrite(() => stored);
    for (const [at, { half }] of halves.entries())
      await expect(site.serve([dapp, other][at]).unlockShared(half)).rejects.toMatchObject(refused);
  });

  test('a change of the ways in the document itself ends its half too', async () => {
    const { serve, unlocks } = await createSite();
    const { keyring } = await unlockedAt(serve);
    await keyring.addPasskey('x');
    expect([keyring.locked(), keyring.unlockHalf(), await unlocks()]).toEqual([false, null, []]);
    await keyring.renewShared();
    expect(await unlocks()).toEqual([]);
  });

  test('an unlock that cannot be stored leaves the document unlocked, without a half', async () => {
    const { serve, storage } = await createSite(createMemoryStorage());
    const keyring = serve(dapp, {
      storage: {
        ...storage,
        update: (store, name, next) =>
          name === 'unlocks'
            ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
            : storage.update(store, name, next),
      },
    });
    await keyring.unlock('a password');
    expect([keyring.locked(), keyring.unlockHalf()]).toEqual([false, null]);
  });

  test('a lock while it is being stored leaves nothing', async () => {
    const { serve, storage, unlocks } = await createSite(createMemoryStorage());
    const keyring: Keyring = serve(dapp, {
      storage: {
        ...storage,
        update(store, name, next) {
          if (name === 'unlocks') void keyring.lock();
          return storage.update(store, name, next);
        },
      },
    });
    await keyring.unlock('a password');
    await waitFor(async () => expect(await unlocks()).toEqual([]));
    expect([keyring.locked(), keyring.unlockHalf()]).toEqual([true, null]);
  });
});

describe('a lock', () => {
  const sharedMemory = () => ({ ...createMemoryStorage(), durable: true });
  /** A storage whose first read of a record waits for `at`. */
  const stopping = (storage: Storage, name: string, at: () => Promise<unknown>): Storage => {
    let hasStopped = false;
    const stop = async (key: string) => {
      if (key !== name || hasStopped) return;
      hasStopped = true;
      await at();
    };
    return {
      ...storage,
      async get(store, key) {
        const value = await storage.get(store, key);
        await stop(key);
        return value;
      },
    };
  };
  const delivered = () => new Promise((resolve) => setTimeout(resolve, 20));

  test.each(['unlocks-epoch', 'unlocks', 'slot-a', 'slot-b', 'pointer'])(
    'while another document opens its half leaves that one locked (at %s)',
    async (name) => {
      const { serve, storage } = await createSite(sharedMemory());
      const { keyring, half } = await unlockedAt(serve);
      const locking = async () => {
        await keyring.lock();
        await delivered();
      };
      const opening = serve(dapp, { storage: stopping(storage, name, locking) });
      await expect(opening.unlockShared(half)).rejects.toMatchObject(refused);
      expect([opening.locked(), opening.unlockHalf()]).toEqual([true, null]);
    },
  );

  test('a lock that began before a document could receive it, and deletes after the second look, is received too', async () => {
    const { serve, storage } = await createSite(sharedMemory());
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = serve(dapp, {
      storage: {
        ...storage,
        async update(store, key, next) {
          if (isLocking) await gone;
          return storage.update(store, key, next);
        },
      },
    });
    let isLocking = false;
    await slow.unlock('a password');
    const half = slow.unlockHalf() as CryptoKey;
    isLocking = true;
    const locking = slow.lock();
    await delivered();
    const opened = serve();
    await opened.unlockShared(half);
    expect(opened.locked()).toBe(false);
    const own = serve();
    await own.unlock('a password');
    go();
    await locking;
    await delivered();
    expect([opened.locked(), own.locked()]).toEqual([true, false]);
  });

  test('a stored half that is put back after it opens nothing', async () => {
    const { serve, unlocks, rewrite, page } = await createSite();
    const { keyring, half } = await unlockedAt(serve);
    const stored = await unlocks();
    for (const by of [keyring, page()]) {
      await by.lock();
      await rewrite(() => stored);
      await expect(serve().unlockShared(half)).rejects.toMatchObject(refused);
    }
    // Also where it was taken away before.
    const next = await unlockedAt(serve);
    const taken = await unlocks();
    await rewrite(() => undefined);
    await page().lock();
    await rewrite(() => taken);
    await expect(serve().unlockShared(next.half)).rejects.toMatchObject(refused);
  });

  test('says so where the stored halves can neither be deleted nor ended', async () => {
    for (const [fails, isEnded] of [
      [['unlocks'], true],
      [['unlocks-epoch'], true],
      [['unlocks', 'unlocks-epoch'], false],
    ] as const) {
      const { serve, storage } = await createSite(sharedMemory());
      let isFull = false;
      const keyring = serve(dapp, {
        storage: {
          ...storage,
          update: (store, key, next) =>
            isFull && (fails as readonly string[]).includes(key)
              ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
              : storage.update(store, key, next),
        },
      });
      await keyring.unlock('a password');
      const half = keyring.unlockHalf() as CryptoKey;
      isFull = true;
      const locking = keyring.lock();
      expect(keyring.locked()).toBe(true);
      if (isEnded) await locking;
      else await expect(locking).rejects.toMatchObject({ code: -32002 });
      const opening = serve().unlockShared(half);
      if (isEnded) await expect(opening).rejects.toMatchObject(refused);
      else await opening;
    }
  });

  test('a renewal that fails locks, whatever failed', async () => {
    const { serve, storage, rewrite } = await createSite(sharedMemory());
    let isFull = false;
    const fill = async () => {
      isFull = true;
    };
    const options: Partial<createKeyring.Options> = {
      storage: {
        ...storage,
        update: (store, key, next) =>
          isFull
            ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
            : storage.update(store, key, next),
      },
    };
    for (const fail of [() => rewrite(() => undefined), () => fill()]) {
      const keyring = serve(dapp, options);
      await keyring.unlock('a password');
      await fail();
      await expect(keyring.renewShared()).rejects.toThrow();
      expect(keyring.locked()).toBe(true);
    }
  });
});

describe('a vault that could not be stored', () => {
  const full = (storage: Storage): Storage => ({
    ...storage,
    update: (store, key, next) =>
      /^(slot|pointer)/.test(key)
        ? Promise.reject(new DOMException('full', 'QuotaExceededError'))
        : storage.update(store, key, next),
  });

  test('a vault that an upgrade could not store is open, and nothing of it is shared', async () => {
    const old = await createOldProfile('password');
    const keyring = serving(old.page({ storage: full(old.storage) }));
    await keyring.unlock(oldPassword);
    expect([keyring.locked(), keyring.unlockHalf()]).toEqual([false, null]);
    expect(await old.storage.get('vault', 'unlocks')).toBeUndefined();
  });

  test('a vault that a stronger derivation could not store is shared as it was', async () => {
    const { serve, storage, page } = await createSite(createMemoryStorage());
    await page({ kdf: { name: 'pbkdf2-sha256', c: 10 } }).create(key(2), 'a password', { replace: true });
    const original = { ...strongKdf };
    Object.assign(strongKdf, { N: 1_024 });
    try {
      const keyring = serve(dapp, { storage: full(storage), kdf: undefined as never });
      await keyring.unlock('a password');
      const next = serve();
      await next.unlockShared(keyring.unlockHalf() as CryptoKey);
      expect(await signs(next)).toBe(true);
    } finally {
      Object.assign(strongKdf, original);
    }
  });
});

describe('two documents of one dapp that the person unlocked', () => {
  test('each keep their half, and a renewal of one leaves the other', async () => {
    const { serve, unlocks, clock } = await createSite();
    const first = await unlockedAt(serve);
    const second = await unlockedAt(serve);
    expect(await unlocks()).toHaveLength(2);
    clock.advance(10 * minute);
    await first.keyring.renewShared();
    for (const { half } of [first, second]) {
      const keyring = serve();
      await keyring.unlockShared(half);
      expect(await signs(keyring)).toBe(true);
    }
    clock.advance(5 * minute);
    await serve().unlockShared(first.half);
    await expect(serve().unlockShared(second.half)).rejects.toMatchObject(refused);
    await serve().lock();
    await expect(serve().unlockShared(first.half)).rejects.toMatchObject(refused);
    expect(await unlocks()).toEqual([]);
  });

  test('are eight at most: the one that was renewed longest ago gives way', async () => {
    const { serve, unlocks } = await createSite();
    await unlockedAt(serve, other);
    const documents = [];
    for (let at = 0; at < 8; at++) documents.push(await unlockedAt(serve));
    const [first, second, third] = documents as [
      (typeof documents)[0],
      (typeof documents)[0],
      (typeof documents)[0],
    ];
    await first.keyring.renewShared();
    await unlockedAt(serve);
    expect((await unlocks()).map(({ origin }) => origin).sort()).toEqual([...Array(8).fill(dapp), other]);
    await expect(serve().unlockShared(second.half)).rejects.toMatchObject(refused);
    for (const { half } of [first, third]) await serve().unlockShared(half);
  });
});

describe('the time of a shared unlock', () => {
  test('ends after the idle time, whatever opens it or is signed, unless a person answers', async () => {
    const { serve, clock, unlocks } = await createSite();
    const { half } = await unlockedAt(serve);
    clock.advance(10 * minute);
    const frame = serve();
    await frame.unlockShared(half);
    clock.advance(4 * minute);
    expect(await signs(frame)).toBe(true);
    clock.advance(minute);
    expect(frame.locked()).toBe(true);
    await expect(serve().unlockShared(half)).rejects.toMatchObject(refused);
    expect(await unlocks()).toEqual([]);
  });

  test('an answer moves its end, to the absolute time at most, and not its beginning', async () => {
    const { serve, clock, unlocks } = await createSite();
    const { half } = await unlockedAt(serve);
    const since = clock.now();
    let answers = 0;
    for (; ; answers++) {
      clock.advance(14 * minute);
      const window = serve();
      if (clock.now() >= since + 8 * hour) {
        await expect(window.unlockShared(half)).rejects.toMatchObject(refused);
        break;
      }
      await window.unlockShared(half);
      await window.renewShared();
      expect(await unlocks()).toMatchObject([
        { since, until: Math.min(clock.now() + 15 * minute, since + 8 * hour) },
      ]);
      window.close();
    }
    expect(answers).toBe(34);
  });

  test('a document that opened it locks at its end, and after a renewal at the new one', async () => {
    const { serve, clock } = await createSite();
    const { half } = await unlockedAt(serve);
    clock.advance(10 * minute);
    const [idle, renewed] = [serve(), serve()];
    for (const keyring of [idle, renewed]) await keyring.unlockShared(half);
    await renewed.renewShared();
    clock.advance(5 * minute);
    expect([idle.locked(), renewed.locked()]).toEqual([true, false]);
    clock.advance(10 * minute);
    expect(renewed.locked()).toBe(true);
  });

  test('a renewal while locked or after the end is refused, and brings nothing back', async () => {
    const { serve, page, unlocks, clock } = await createSite();
    const { keyring } = await unlockedAt(serve);
    await page().lock();
    await expect(keyring.renewShared()).rejects.toMatchObject(refused);
    expect(await unlocks()).toEqual([]);
    await keyring.lock();
    await expect(keyring.renewShared()).rejects.toMatchObject(refused);
    const again = await unlockedAt(serve);
    clock.advance(15 * minute);
    await expect(again.keyring.renewShared()).rejects.toMatchObject(refused);
  });

  test('a lock between the reading and the writing of a renewal wins', async () => {
    const { serve, page, storage, unlocks } = await createSite(createMemoryStorage());
    let armed = false;
    const keyring = serve(dapp, {
      storage: {
        ...storage,
        async update(store, name, next) {
          if (name === 'unlocks' && armed) await page().lock();
          return storage.update(store, name, next);
        },
      },
    });
    await keyring.unlock('a password');
    armed = true;
    await expect(keyring.renewShared()).rejects.toMatchObject(refused);
    expect(await unlocks()).toEqual([]);
  });

  test('the end of one document deletes those that have ended, and no other', async () => {
    const { serve, clock, unlocks } = await createSite();
    await unlockedAt(serve, dapp);
    clock.advance(10 * minute);
    await unlockedAt(serve, other);
    clock.advance(5 * minute);
    await waitFor(async () => expect((await unlocks()).map(({ origin }) => origin)).toEqual([other]));
  });

  test('a clock that was set back ends it', async () => {
    const { serve, clock } = await createSite();
    clock.jump(hour);
    const { half } = await unlockedAt(serve);
    clock.jump(-hour);
    await expect(serve().unlockShared(half)).rejects.toMatchObject(refused);
  });
});

describe('a writer with one half', () => {
  test('opens nothing in 60 tries with the stored half and every key but the right one', async () => {
    const { serve, unlocks } = await createSite();
    const { half } = await unlockedAt(serve);
    await unlockedAt(serve, other);
    const random = createRandom(1);
    const stored = await unlocks();
    for (let tried = 0; tried < 60; tried++) {
      const bytes =
        tried < 4
          ? Buffer.from(stored[tried % 2]?.ct as string, 'base64url').subarray(tried, tried + 32)
          : Uint8Array.from({ length: 32 }, () => random() * 256);
      const guess = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
      const keyring = serve();
      await expect(keyring.unlockShared(guess)).rejects.toMatchObject(refused);
      expect([tried, keyring.locked(), keyring.unlockHalf()]).toEqual([tried, true, null]);
    }
    for (const nothing of [null, undefined, {}, 'a password', crypto])
      await expect(serve().unlockShared(nothing as never)).rejects.toMatchObject(refused);
    await serve().unlockShared(half);
  });

  test('opens nothing in 120 tries with the key and every stored half but the right one', async () => {
    const { serve, clock, unlocks, rewrite } = await createSite();
    // Earlier halves of the same dapp, one of another, and one of another vault.
    const earlier = await unlockedAt(serve);
    const first = (await unlocks())[0] as Unlock;
    clock.advance(minute);
    await unlockedAt(serve, other);
    const { half } = await unlockedAt(serve);
    const genuine = (await unlocks()).at(-1) as Unlock;
    const foreign = (await unlocks()).find(({ origin }) => origin === other) as Unlock;
    const elsewhere = await createSite();
    await unlockedAt(elsewhere.serve);
    const stranger = (await elsewhere.unlocks())[0] as Unlock;
    const donors = [first, foreign, stranger];
    for (let seed = 1; seed <= 120; seed++) {
      const random = createRandom(seed);
      const below = (count: number) => Math.floor(random() * count);
      const donor = donors[below(donors.length)] as Unlock;
      const name = Object.keys(genuine)[below(7)] as keyof Unlock;
      const forged: Record<string, unknown> = { ...genuine };
      const kind = below(5);
      if (kind === 0) forged[name] = donor[name];
      if (kind === 1) Object.assign(forged, donor, { origin: dapp });
      if (kind === 2) forged.until = genuine.until + 1 + below(100 * hour);
      if (kind === 3) forged.since = genuine.since - 1 - below(minute);
      if (kind === 4) {
        const bytes = Buffer.from(genuine.ct, 'base64url');
        const at = below(bytes.length);
        bytes[at] = (bytes[at] as number) ^ (1 << below(8));
        forged.ct = bytes.toString('base64url');
      }
      if (JSON.stringify(forged) === JSON.stringify(genuine)) continue;
      await rewrite(() => [forged]);
      const keyring = serve();
      await expect(keyring.unlockShared(half)).rejects.toMatchObject(refused);
      expect([seed, keyring.locked(), keyring.unlockHalf()]).toEqual([seed, true, null]);
    }
    for (const nonsense of [[], {}, 'x', null, [null], [{ ...genuine, v: 2 }], [{ ...genuine, ct: 5 }]]) {
      await rewrite(() => nonsense);
      await expect(serve().unlockShared(half)).rejects.toMatchObject(refused);
    }
    await rewrite(() => [genuine]);
    await expect(serve().unlockShared(earlier.half)).rejects.toMatchObject(refused);
    await serve().unlockShared(half);
  });

  test('cannot move the end beyond the absolute time with an earlier genuine half', async () => {
    const { serve, clock, unlocks, rewrite } = await createSite();
    const { half } = await unlockedAt(serve);
    const stored = await unlocks();
    clock.advance(15 * minute);
    await rewrite(() => stored);
    await expect(serve().unlockShared(half)).rejects.toMatchObject(refused);
  });

  test('a vault that was written since opens with it, one that was put back or replaced does not', async () => {
    const site = await createSite();
    const { half, keyring } = await unlockedAt(site.serve);
    await keyring.add(key(4));
    const next = site.serve();
    await next.unlockShared(half);
    expect(await next.accounts()).toHaveLength(2);
    const forged = createProfile(createMemoryStorage());
    await forged.page({ kdf: quickKdf }).create(key(5), 'of a forger');
    await forged.storage.update('vault', 'unlocks', () => undefined);
    await forged.storage.put('vault', [['unlocks', await site.unlocks()]]);
    await expect(serving(forged.page()).unlockShared(half)).rejects.toMatchObject(refused);
  });

  test('a closed keyring takes no half', async () => {
    const { serve } = await createSite();
    const { half } = await unlockedAt(serve);
    const keyring = serve();
    keyring.close();
    await expect(keyring.unlockShared(half)).rejects.toMatchObject({ code: 4900 });
  });
});

type Site = Awaited<ReturnType<typeof createSite>>;
