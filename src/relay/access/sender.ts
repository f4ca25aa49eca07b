import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, bytesToInteger, integerToBytes } from '../../rpc/hex.js';
import type { Address } from '../../rpc/schema.js';
import { type ParsedTransaction, signingDigest } from '../../rpc/transaction.js';

/** The curve secp256k1: y² = x³ + 7 modulo {@link prime}. All values here are public, so that time may depend on them. */
const prime = 2n ** 256n - 2n ** 32n - 977n;
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const generator: Affine = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

type Affine = readonly [x: bigint, y: bigint];
/** Jacobian coordinates: the point (x / z², y / z³). */
type Point = readonly [x: bigint, y: bigint, z: bigint];
const infinity: Point = [1n, 1n, 0n];

/**
 * Recovers the sender of a signed transaction, in some milliseconds; `undefined` for a signature that no key has made.
 *
 * @example
 * senderOf(parseSigned(raw, 31, 'params[0]', true)); // '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
 */
export function senderOf({ transaction, signature }: ParsedTransaction): Address | undefined {
  const { r, s, yParity } = signature;
  if (r <= 0n || r >= order || s <= 0n || s >= order) return undefined;
  const square = mod(r * r * r + 7n, prime);
  const root = power(square, (prime + 1n) / 4n);
  if (mod(root * root, prime) !== square) return undefined;
  const signed: Affine = [r, Number(root & 1n) === yParity ? root : prime - root];
  const inverse = invert(r, order);
  const digest = bytesToInteger(signingDigest(transaction));
  const key = sumOfMultiples(mod(s * inverse, order), signed, mod(-digest * inverse, order), generator);
  if (!key) return undefined;
  const bytes = new Uint8Array(64);
  for (const [i, coordinate] of key.entries()) {
    const part = integerToBytes(coordinate);
    bytes.set(part, 32 * (i + 1) - part.length);
  }
  return bytesToHex(keccak_256(bytes).subarray(12));
}

/** a·P + b·Q; `undefined` for the point at infinity. */
function sumOfMultiples(a: bigint, p: Affine, b: bigint, q: Affine): Affine | undefined {
  const both = toAffine(add([...p, 1n], q));
  let sum = infinity;
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = double(sum);
    const [hasA, hasB] = [(a >> bit) & 1n, (b >> bit) & 1n];
    const next = hasA && hasB ? both : hasA ? p : hasB ? q : undefined;
    if (next) sum = add(sum, next);
  }
  return toAffine(sum);
}

function double([x, y, z]: Point): Point {
  if (z === 0n || y === 0n) return infinity;
  const yy = mod(y * y, prime);
  const s = mod(4n * x * yy, prime);
  const m = mod(3n * x * x, prime);
  const doubled = mod(m * m - 2n * s, prime);
  return [doubled, mod(m * (s - doubled) - 8n * yy * yy, prime), mod(2n * y * z, prime)];
}

function add(point: Point, [x2, y2]: Affine): Point {
  const [x1, y1, z1] = point;
  if (z1 === 0n) return [x2, y2, 1n];
  const zz = mod(z1 * z1, prime);
  const h = mod(x2 * zz - x1, prime);
  const r = mod(y2 * zz * z1 - y1, prime);
  if (h === 0n) return r === 0n ? double(point) : infinity;
  const hh = mod(h * h, prime);
  const v = mod(x1 * hh, prime);
  const x = mod(r * r - hh * h - 2n * v, prime);
  return [x, mod(r * (v - x) - y1 * hh * h, prime), mod(h * z1, prime)];
}

function toAffine([x, y, z]: Point): Affine | undefined {
  if (z === 0n) return undefined;
  const inverse = invert(z, prime);
  const square = mod(inverse * inverse, prime);
  return [mod(x * square, prime), mod(y * square * inverse, prime)];
}

function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let bit = 255n; bit >= 0n; bit--) {
    result = mod(result * result, prime);
    if ((exponent >> bit) & 1n) result = mod(result * base, prime);
  }
  return result;
}

/** By the extended Euclidean algorithm. */
function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [mod(value, modulus), modulus, 1n, 0n];
  while (a !== 0n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return mod(y, modulus);
}
