/**
 * SHA-256 that can go on from the state after whole blocks, which coinbases are kept as. `@noble/hashes` hashes all that is signed; here
 * its weight would be a third of all. A test compares the two.
 */

/** Bytes of a block. */
const blockSize = 64;

/** The first 32 bits behind the point of a prime's square or cube root. */
function rootBits(prime: number, degree: 2 | 3): number {
  const shifted = BigInt(prime) << BigInt(32 * degree);
  let root = BigInt(Math.floor(prime ** (1 / degree) * 2 ** 32));
  // The estimate is right but for its last bits.
  while (root ** BigInt(degree) > shifted) root--;
  while ((root + 1n) ** BigInt(degree) <= shifted) root++;
  return Number(BigInt.asIntN(32, root));
}

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime > 0)) primes.push(n);

const constants = Int32Array.from(primes, (prime) => rootBits(prime, 3));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => rootBits(prime, 2));

/**
 * The hash of bytes, 32 bytes.
 *
 * @param state the eight words after what was hashed before
 * @param hashed how many bytes that was
 */
export function sha256(bytes: Uint8Array, state: Int32Array = initial, hashed = 0): Uint8Array {
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / blockSize) + 1) * blockSize);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const input = new DataView(padded.buffer);
  input.setBigUint64(padded.length - 8, BigInt(hashed + bytes.length) * 8n);
  const words = Int32Array.from(state);
  for (let block = 0; block < padded.length; block += blockSize) compress(words, input, block);
  const hash = new DataView(new ArrayBuffer(32));
  for (const [index, word] of words.entries()) hash.setInt32(4 * index, word);
  return new Uint8Array(hash.buffer);
}

const schedule = new Int32Array(64);
const at = (list: ArrayLike<number>, index: number): number => list[index] as number;
const rotated = (word: number, bits: number): number => (word >>> bits) | (word << -bits);

function compress(words: Int32Array, input: DataView, block: number): void {
  for (let round = 0; round < 64; round++) {
    if (round < 16) schedule[round] = input.getInt32(block + 4 * round);
    else {
      const [early, late] = [at(schedule, round - 15), at(schedule, round - 2)];
      const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      schedule[round] = at(schedule, round - 16) + low + at(schedule, round - 7) + high;
    }
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const ofE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const ofA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const one = (h + ofE + choice + at(constants, round) + at(schedule, round)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + ofA + majority) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) words[index] = at(words, index) + word;
}
