import { jsonPoison, poison } from './poison.js';
import type { Random } from './random.js';

/** Spoils what is good in one place or a few: what is wrong all over is refused at the door. */

type Poisoner = (random: Random) => unknown;

export const spoil = (value: unknown, random: Random): unknown => spoilWith(value, random, poison);
export const spoilJson = (value: unknown, random: Random): unknown => spoilWith(value, random, jsonPoison);

function spoilWith(value: unknown, random: Random, by: Poisoner): unknown {
  let spoilt = once(value, random, by);
  while (random.chance(0.25)) spoilt = once(spoilt, random, by);
  return spoilt;
}

const isPlain = (value: unknown): value is Record<string, unknown> | unknown[] => {
  try {
    if (typeof value !== 'object' || value === null) return false;
    return Array.isArray(value) ? value.length < 1e5 : Object.getPrototypeOf(value) === Object.prototype;
  } catch {
    return false;
  }
};

function once(value: unknown, random: Random, by: Poisoner): unknown {
  if (!isPlain(value)) return typeof value === 'string' ? ofText(value, random, by) : by(random);
  try {
    return inside(value, random, by);
  } catch {
    // What was put there before bites.
    return by(random);
  }
}

function inside(value: Record<string, unknown> | unknown[], random: Random, by: Poisoner): unknown {
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.06)) return around(value, random, by);
  const name = random.pick(names);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const members = copy as Record<string, unknown>;
  const change = random.below(100);
  if (change < 72) members[name] = once(members[name], random, by);
  else if (change < 86) delete members[name];
  else if (change < 93) members[name] = members[random.pick(names)];
  else addTo(copy, random, by);
  return copy;
}

/** What stands there, with something around it or beside it. */
function around(value: object, random: Random, by: Poisoner): unknown {
  const ways = [
    () => by(random),
    () => [value],
    () => ({ value }),
    () => (Array.isArray(value) ? Object.fromEntries(value.entries()) : Object.values(value)),
    () => (Array.isArray(value) ? [...value, ...value] : { ...value, ...value }),
    () => {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      addTo(copy, random, by);
      return copy;
    },
  ];
  return random.pick(ways)();
}

function addTo(copy: object, random: Random, by: Poisoner): void {
  if (Array.isArray(copy)) copy.splice(random.below(copy.length + 1), 0, by(random));
  else
    Object.defineProperty(
      copy,
      random.pick(['extra', 'data', 'toJSON', '__proto__', '_id', 'blockHash', '']),
      {
        value: by(random),
        enumerable: true,
        configurable: true,
        writable: true,
      },
    );
}

/** Most are hexadecimal: near misses are what a reader lets through. */
function ofText(value: string, random: Random, by: Poisoner): unknown {
  const at = random.below(value.length + 1);
  const ways: readonly (() => unknown)[] = [
    () => by(random),
    () => by(random),
    () => value.slice(0, at),
    () => value.slice(at),
    () =>
      `${value.slice(0, at)}${random.pick(['0', 'g', ' ', '\n', 'é', '\u0000', 'F', '00'])}${value.slice(at)}`,
    () => value.toUpperCase(),
    () => value.replace('0x', ''),
    () => value.replace('0x', '0x0'),
    () => value.replace('0x', '0X'),
    () => value.repeat(2),
    () => [value],
    () => Number(value),
    () => ` ${value}`,
  ];
  return random.pick(ways)();
}

/** Bytes of a body as a broken server, a proxy or an attacker would leave them. */
export function spoilText(body: string, random: Random): string | Uint8Array<ArrayBuffer> {
  const at = random.below(body.length + 1);
  const ways: readonly (() => string | Uint8Array<ArrayBuffer>)[] = [
    () => body.slice(0, at),
    () => body.slice(at),
    () => `${body.slice(0, at)}${String.fromCharCode(random.below(0x250))}${body.slice(at + 1)}`,
    () => `${body.slice(0, at)}${body.slice(random.below(body.length))}`,
    () => `\ufeff${body}`,
    () => ` \n\t${body}\r\n`,
    () => body + body,
    () => `${body}\n${body}`,
    () => `[${body}]`,
    () => `)]}',\n${body}`,
    () => `callback(${body})`,
    () => body.replace('"result":', '"result":"0x1","result":'),
    () => body.replace('{', '{"id":0,'),
    () => body.replace('{', '{"__proto__":{"result":"0x1"},'),
    () => body.replace('"result":', `"result":${'['.repeat(5_000)}${']'.repeat(5_000)},"r":`),
    () => body.replace('"result":', `"result":${'{"a":'.repeat(80)}1${'}'.repeat(80)},"r":`),
    () => body.replaceAll('"', "'"),
    () => body.replace('result', 'Result'),
    () => '<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>',
    () => '',
    () => 'null',
    () => '"0x1"',
    () => '0',
    () => new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]),
    () => {
      const bytes = new TextEncoder().encode(body);
      if (bytes.length > 0) bytes[at % bytes.length] = random.below(256);
      return bytes;
    },
    () => new TextEncoder().encode(body).slice(0, at),
  ];
  return random.pick(ways)();
}
