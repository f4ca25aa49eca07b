import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Credential } from '../../../../src/approvals/owner.js';
import type { Keyring } from '../../../../src/keyring/keyring.js';
import type { Contents } from '../../../../src/keyring/vault/contents.js';
import {
  canonical,
  decodeBase64Url,
  encodeBase64Url,
  type PairWrap,
  type VaultRecord,
  type Wrap,
} from '../../../../src/keyring/vault/record.js';
import { type OpenVault, openVault, sealVault } from '../../../../src/keyring/vault/vault.js';
import { rewrap, type Secrets } from '../../../../src/keyring/vault/wraps.js';
import { createFakeAuthenticator } from '../../../support/fake-authenticator.js';
import { createRandom } from '../../../support/random.js';
import { keptIn, putBack, storedAs } from '../old-vaults.js';
import { createProfile, quickKdf } from '../profile.js';

/**
 * Somebody can write everything that a browser keeps, has every record and backup file that was ever written, and knows
 * the code. They have no password and no passkey. None of what they write opens; each forgery has its seed.
 */

/** The random bytes of the wallet while the forger seals a vault. */
const forger = vi.hoisted(() => ({ bytes: null as ((length: number) => Uint8Array<ArrayBuffer>) | null }));
vi.mock('../../../../src/keyring/builtins.js', async (load) => {
  const builtins = await load<typeof import('../../../../src/keyring/builtins.js')>();
  return { ...builtins, randomBytes: (length: number) => (forger.bytes ?? builtins.randomBytes)(length) };
});

const passkey = { passkey: true } as const;
const [password, nextPassword, filePassword] = ['correct horse', 'battery staple', 'a file password'];
const authenticator = createFakeAuthenticator({}, 'the owner');
const theirs: Contents = {
  mnemonics: [],
  accounts: [{ address: `0x${'66'.repeat(20)}`, privateKey: new Uint8Array(32).fill(6), path: null }],
};

/** Everything that was ever written: the records of two vaults, oldest first, and backup files. */
const ours: VaultRecord[] = [];
const elsewhere: VaultRecord[] = [];
const files: { vault: Record<string, unknown> }[] = [];

const location = () => vi.stubGlobal('location', { hostname: 'app.example' });
beforeEach(location);
afterAll(() => vi.unstubAllGlobals());

beforeAll(async () => {
  location();
  for (const records of [elsewhere, ours]) {
    const profile = createProfile();
    const keyring = profile.page({ authenticator });
    const note = async () => {
      const kept = await keptIn(profile);
      records.push(kept[kept.pointer?.slot as 'slot-a'] as unknown as VaultRecord);
    };
    const key = (n: number) => ({ type: 'private-key', privateKey: `0x${`${n}${n}`.repeat(32)}` }) as const;
    await keyring.create(key(1), password);
    await note();
    await keyring.add(key(2));
    await note();
    await keyring.addPasskey('Phone');
    await note();
    files.push(JSON.parse(await keyring.backup(password, filePassword, '{}')));
    await keyring.changePassword(password, nextPassword);
    await note();
    await keyring.add(key(3));
    await note();
    files.push(JSON.parse(await keyring.backup(nextPassword, filePassword, '{}')));
  }
});

interface Dice {
  /** 0 to below `count`. */
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

function createDice(seed: number): Dice {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  return {
    below,
    pick: (items) => items[below(items.length)] as never,
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  };
}

const current = () => ours.at(-1) as VaultRecord;

/** A vault of the forger's own under the owner's vault id, and its secrets, which the forger chose. */
async function ownVault(dice: Dice): Promise<OpenVault & { readonly secrets: Secrets }> {
  const { vaultId, createdAt } = current();
  let secrets: Secrets | undefined;
  // Of zeros, of what lies in the record, or random.
  const known = [new Uint8Array(32), decodeBase64Url(current().mac), undefined] as const;
  const chosen = [dice.pick(known), dice.pick(known)];
  forger.bytes = (length) => (length === 32 && chosen.shift()) || dice.bytes(length);
  const header = { vaultId, gen: current().gen + dice.below(3), createdAt };
  const lend = async (_: string, { dataKey, secret }: Secrets) => {
    secrets = { dataKey: dataKey.slice(), secret: secret.slice() };
  };
  try {
    const vault = await sealVault(theirs, ['of the forger'], header, quickKdf, lend);
    return { ...vault, secrets: secrets as Secrets };
  } finally {
    forger.bytes = null;
  }
}

/** The record with a MAC by the keys of a vault. */
async function signed({ keys }: OpenVault, record: VaultRecord): Promise<VaultRecord> {
  const { mac: _, ...unsigned } = record;
  const bytes = new TextEncoder().encode(canonical(unsigned));
  const mac = await crypto.subtle.sign('HMAC', keys.header, bytes);
  return { ...unsigned, mac: encodeBase64Url(new Uint8Array(mac)) };
}

/** Wraps of genuine records, whose data key the forger replaces by their own. */
const replaced = ({ record, secrets }: Awaited<ReturnType<typeof ownVault>>, wraps: VaultRecord['wraps']) =>
  Promise.all((wraps as readonly PairWrap[]).map((wrap) => rewrap(wrap, secrets.dataKey, record)));

type Forger = (dice: Dice) => Promise<VaultRecord>;

const forgers: Readonly<Record<string, Forger>> = {
  /** What broke version 2. */
  async 'a data key of their own, wrapped to the public keys of a genuine record'(dice) {
    const vault = await ownVault(dice);
    const { wraps, asleep = [] } = dice.pick(ours);
    return signed(vault, { ...vault.record, asleep, wraps: await replaced(vault, wraps) });
  },
  async 'the same, with a way of their own beside, before or after the genuine ones'(dice) {
    const vault = await ownVault(dice);
    const wraps = [...(await replaced(vault, current().wraps))];
    const own = { ...vault.record.wraps[0], type: dice.pick(['password', 'prf', 'other']), id: 'x' };
    wraps.splice(dice.below(wraps.length + 1), 0, own as PairWrap);
    return signed(vault, { ...vault.record, wraps });
  },
  async 'own parts of one way in another'(dice) {
    const wraps = structuredClone(dice.pick(ours).wraps) as unknown as Record<string, unknown>[];
    const all = [...ours, ...elsewhere].flatMap((record) => record.wraps);
    const into = dice.pick(wraps);
    const part = dice.pick(['own', 'dataKey', 'kdf', 'credentialId', 'gen', 'id']);
    const before = canonical(into[part]);
    for (const from of [dice.pick(all), ...all]) {
      into[part] = structuredClone(from[part]);
      if (from[part] !== undefined && canonical(from[part]) !== before) break;
    }
    const record = { ...current(), wraps: wraps as unknown as VaultRecord['wraps'] };
    return dice.below(2) === 0 ? record : signed(await ownVault(dice), record);
  },
  async 'parts of two generations, or of two vaults'(dice) {
    const [into, from] = [dice.pick(ours), dice.pick([...ours, ...elsewhere])];
    const parts = ['gen', 'vaultId', 'wraps', 'payload', 'mac', 'createdAt', 'asleep'] as const;
    const mixed: Record<string, unknown> = { ...into };
    for (const part of parts) if (dice.below(2) === 0) mixed[part] = from[part];
    return mixed as unknown as VaultRecord;
  },
  async 'a whole record of another vault under the id of this one'(dice) {
    const record = { ...dice.pick(elsewhere), vaultId: current().vaultId, gen: current().gen + 1 };
    return dice.below(2) === 0 ? record : signed(await ownVault(dice), record);
  },
  async 'ways taken away, doubled, put in another order or put to sleep'(dice) {
    const record = structuredClone(current()) as {
      wraps: VaultRecord['wraps'];
      asleep: unknown;
    } & VaultRecord;
    const [first, ...others] = record.wraps as [PairWrap, ...PairWrap[]];
    const changed = dice.pick([[first], others, [...others, first], [first, ...others, ...others]]);
    const asleep = others.map(({ credentialId, rpId, prfSalt, createdAt, name }) => ({
      ...{ credentialId, rpId, prfSalt, createdAt, name },
    }));
    const forged = { ...record, wraps: changed, ...(dice.below(2) === 0 && { asleep }) } as VaultRecord;
    return dice.below(2) === 0 ? forged : signed(await ownVault(dice), forged);
  },
  async 'a field changed'(dice) {
    const record = structuredClone(dice.pick(ours.slice(-2))) as unknown as Record<string, unknown>;
    const leaves: (readonly [holder: Record<string, unknown>, name: string])[] = [];
    const visit = (node: Record<string, unknown>): void => {
      for (const [name, value] of Object.entries(node))
        if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>);
        else leaves.push([node, name]);
    };
    visit(record);
    const [holder, name] = dice.pick(leaves);
    const value = holder[name];
    if (typeof value === 'number') holder[name] = name === 'N' ? value * 2 : value + 1;
    else if (/^(salt|iv|ct|mac|publicKey|ephemeral|credentialId|prfSalt)$/.test(name)) {
      const bytes = decodeBase64Url(value as string);
      const at = dice.below(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
      holder[name] = encodeBase64Url(bytes);
    } else holder[name] = `${value}x`;
    return record as unknown as VaultRecord;
  },
  async 'the parts of this version as those of an earlier one'(dice) {
    const vault = await ownVault(dice);
    const wraps = (await replaced(vault, current().wraps)) as readonly Wrap[] as readonly PairWrap[];
    const v = dice.pick([1, 2] as const);
    const earlier = wraps.map((wrap) => (v === 1 ? { ...wrap, ...wrap.own } : { ...wrap, pair: wrap.own }));
    return signed(vault, { ...vault.record, v, wraps: earlier });
  },
};

/** Whether what a browser keeps was changed, or anything was unlocked, with the passwords and the passkey of the owner. */
async function outcomes(forged: VaultRecord): Promise<readonly string[]> {
  const found: string[] = [];
  const credentials: Credential[] = [password, nextPassword, passkey];
  for (const credential of credentials) {
    const profile = createProfile();
    await putBack(profile, await storedAs(forged, 3));
    const before = await keptIn(profile);
    const keyring: Keyring = profile.page({ authenticator });
    const outcome = await keyring.unlock(credential).then(
      () => 'unlocked',
      (error) => error.data?.reason ?? `${error.code}`,
    );
    found.push(canonical(await keptIn(profile)) === canonical(before) ? outcome : 'written');
    keyring.lock();
  }
  return found;
}

/** A number too high for a version is that of a newer wallet. */
const refused = expect.stringMatching(/^(4100|4001|-32602|vault-newer)$/);
const perForger = 32;

describe('a forged vault', () => {
  test.each(Object.entries(forgers))(
    'a forged vault of %s opens for none of its owner, and nothing is written',
    async (_, forge) => {
      const genuine = [...ours, ...elsewhere].map(canonical);
      let tried = 0;
      for (let seed = 1; tried < perForger; seed++) {
        const forged = await forge(createDice(seed));
        // Of two equal parts a mixture may be what it was.
        if (genuine.includes(canonical(forged))) continue;
        tried++;
        expect([seed, await outcomes(forged)]).toEqual([seed, [refused, refused, refused]]);
      }
    },
  );

  test('genuine vaults of the same kinds open, and so does the forged one for the forger', async () => {
    const profile = createProfile();
    await putBack(profile, await storedAs(current(), 3));
    for (const credential of [nextPassword, passkey])
      await profile.page({ authenticator }).unlock(credential as Credential);
    const vault = await ownVault(createDice(1));
    const forged = await signed(vault, vault.record);
    await expect(openVault(forged, 'of the forger')).resolves.toMatchObject({ record: forged });
  });
});

describe('a forged backup file', () => {
  test('a forged file of parts of other files, of vaults and of own keys is refused by its password', async () => {
    const restores = async (file: unknown) => {
      const { page, storage } = createProfile();
      const outcome = await page()
        .restore(JSON.stringify(file), filePassword, { password: 'a new password' })
        .then(
          () => 'restored',
          (error) => `${error.code}`,
        );
      return (await storage.all('vault')).length === 0 ? outcome : 'written';
    };
    const [first] = files;
    expect(await restores(first)).toBe('written');
    const genuine = files.map(({ vault }) => canonical(vault));
    let tried = 0;
    for (let seed = 1; tried < 64; seed++) {
      const dice = createDice(seed);
      const file = structuredClone(dice.pick(files)) as { version: number; vault: Record<string, unknown> };
      const from = dice.pick(files).vault;
      const vault = (await ownVault(dice)).record as unknown as Record<string, unknown>;
      const parts = Object.keys(file.vault);
      const part = dice.pick(parts);
      const change = dice.below(6);
      if (change === 0) for (const name of parts) if (dice.below(2)) file.vault[name] = from[name];
      if (change === 1) file.vault = dice.pick([current(), vault]) as Record<string, unknown>;
      if (change === 2) file.vault[part] = vault[part] ?? (vault.wraps as PairWrap[])[0]?.[part];
      if (change === 3) delete file.vault[part];
      if (change === 4) file.vault = { ...file.vault, [dice.pick(['extra', 'wraps', 'v'])]: 3 };
      if (change === 5) file.version = 1;
      if (genuine.includes(canonical(file.vault)) && file.version === 2) continue;
      tried++;
      expect([seed, change, await restores(file)]).toEqual([seed, change, refused]);
    }
  });

  test('nothing of a file is a vault', async () => {
    for (const { vault } of files)
      for (const record of [vault, { ...vault, v: 3 }, { ...vault, v: 3, gen: 1, wraps: [], asleep: [] }])
        expect(await outcomes({ gen: 1, ...record } as never)).toEqual([refused, refused, refused]);
  });
});
