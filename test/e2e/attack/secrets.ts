import { inspect } from 'node:util';

/** What must never come out, in every spelling that somebody might look for it in. */
export interface Secret {
  readonly name: string;
  readonly spellings: readonly string[];
}

const latin = (bytes: Uint8Array) => [...bytes].join(',');
const reversed = (text: string) => [...text].reverse().join('');

function ofBytes(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  return [buffer.toString('hex'), buffer.toString('base64'), buffer.toString('base64url'), latin(bytes)].map(
    (text) => text.replace(/=+$/, ''),
  );
}

export function secretText(name: string, text: string): Secret {
  const plain = [text, text.normalize('NFKC'), text.normalize('NFKD'), reversed(text)];
  return {
    name,
    spellings: [
      ...plain,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      ...plain.flatMap((each) => ofBytes(new TextEncoder().encode(each))),
    ],
  };
}

/** Half of the digits in a row count as all of them: a message that is cut may show that much. */
export function secretBytes(name: string, bytes: Uint8Array): Secret {
  const hex = Buffer.from(bytes).toString('hex');
  const halves = Array.from({ length: hex.length / 2 + 1 }, (_, i) => hex.slice(i, i + hex.length / 2));
  return {
    name,
    spellings: [
      ...ofBytes(bytes),
      ...ofBytes(bytes.slice().reverse()),
      BigInt(`0x${hex}`).toString(),
      ...halves,
    ],
  };
}

/** Any five words in a row, either way round and however they are joined, count as all of them. */
export function secretWords(name: string, mnemonic: string): Secret {
  const words = mnemonic.split(' ');
  const runs = words.slice(4).map((_, i) => words.slice(i, i + 5));
  const joined = [...runs, ...runs.map((run) => [...run].reverse())].flatMap((run) =>
    [' ', ',', ', ', '","', '%20', '+', '-', '\n'].map((between) => run.join(between)),
  );
  return { name, spellings: [...joined, ...secretText(name, mnemonic).spellings] };
}

/** Every text within a value: own properties of any kind and visibility, members of collections, what prints show. */
function textsIn(value: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [inspect(value, { depth: null, showHidden: true, maxStringLength: null })];
  try {
    texts.push(String(value));
  } catch {
    // What has no prototype has no text of its own.
  }
  const walk = (each: unknown): void => {
    if (typeof each === 'bigint' || typeof each === 'number' || typeof each === 'symbol')
      texts.push(String(each));
    if (typeof each === 'string') texts.push(each);
    if (each === null || (typeof each !== 'object' && typeof each !== 'function') || seen.has(each)) return;
    seen.add(each);
    if (each instanceof Map) for (const pair of each) walk(pair);
    if (each instanceof Set) for (const member of each) walk(member);
    if (each instanceof Uint8Array) texts.push(...ofBytes(each));
    if (each instanceof Error) texts.push(String(each), each.message, each.stack ?? '', inspect(each.cause));
    for (const key of Reflect.ownKeys(each)) {
      texts.push(String(key));
      walk(Reflect.get(each, key));
    }
  };
  walk(value);
  try {
    texts.push(JSON.stringify(value) ?? '');
  } catch {
    // Cyclic, or with a bigint: what is in it has been walked.
  }
  return texts.join('\n');
}

/** Everything that came out, by where. */
export interface Catch {
  put(where: string, value: unknown): void;
  /** What of the secrets is in it: `secret in place`. */
  find(secrets: readonly Secret[], places?: (where: string) => boolean): readonly string[];
  readonly places: ReadonlySet<string>;
}

export function createCatch(): Catch {
  const caught: { where: string; text: string }[] = [];
  return {
    put: (where, value) => void caught.push({ where, text: textsIn(value) }),
    find: (secrets, places = () => true) => {
      const found = new Set<string>();
      for (const { where, text } of caught.filter((each) => places(each.where))) {
        const lower = text.toLowerCase();
        for (const { name, spellings } of secrets)
          if (spellings.some((spelling) => lower.includes(spelling.toLowerCase())))
            found.add(`${name} in ${where}`);
      }
      return [...found];
    },
    get places() {
      return new Set(caught.map(({ where }) => where));
    },
  };
}
