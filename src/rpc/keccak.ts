/**
 * Keccak-256, as Ethereum has it, for checksums of addresses, blooms, `web3_sha3` and names of stores: it loads with the first read,
 * where a library's weighs three times as much. `@noble/hashes` hashes all that is signed, and the names that payments are sent to; a
 * test compares the two.
 */

/** Bytes of a block that is absorbed. */
const rate = 136;
const rounds = 24;

/** For each step of one walk over the lanes but the first: where the lane goes, and by how many bits it rotates. */
const targets = new Int32Array(rounds);
const rotations = new Int32Array(rounds);
/** The constants of the rounds, low and high half of each. */
const constants = new Int32Array(2 * rounds);

for (let step = 0, x = 1, y = 0, shift = 1; step < rounds; step++) {
  [x, y] = [y, (2 * x + 3 * y) % 5];
  targets[step] = 2 * (x + 5 * y);
  rotations[step] = (((step + 1) * (step + 2)) / 2) % 64;
  // A linear feedback shift register gives the bits at 0, 1, 3, 7, 15, 31 and 63.
  for (let bit = 1; bit <= 64; bit *= 2) {
    if (shift & 1) (constants[2 * step + (bit > 32 ? 1 : 0)] as number) |= 1 << ((bit - 1) % 32);
    shift = (shift << 1) ^ ((shift >> 7) * 0x171);
  }
}

/** 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(bytes.length / rate) + 1) * rate);
  padded.set(bytes);
  padded[bytes.length] = 1;
  (padded[padded.length - 1] as number) |= 0x80;
  const input = new DataView(padded.buffer);
  /** 25 lanes of 64 bits, each as its low and its high half. */
  const state = new Int32Array(50);
  for (let block = 0; block < padded.length; block += rate) {
    for (let byte = 0; byte < rate; byte += 4)
      (state[byte >> 2] as number) ^= input.getInt32(block + byte, true);
    permute(state);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (let byte = 0; byte < 32; byte += 4) hash.setInt32(byte, at(state, byte >> 2), true);
  return new Uint8Array(hash.buffer);
}

/** The halves of all columns, or of one row, and the first four once more. */
const five = new Int32Array(14);

function permute(state: Int32Array): void {
  for (let round = 0; round < rounds; round++) {
    for (let x = 0; x < 14; x++) {
      const y = x % 10;
      five[x] = at(state, y) ^ at(state, y + 10) ^ at(state, y + 20) ^ at(state, y + 30) ^ at(state, y + 40);
    }
    for (let x = 0; x < 10; x += 2) {
      const low = at(five, x + 2);
      const high = at(five, x + 3);
      const before = (x + 8) % 10;
      const lowMix = at(five, before) ^ ((low << 1) | (high >>> 31));
      const highMix = at(five, before + 1) ^ ((high << 1) | (low >>> 31));
      for (let y = x; y < 50; y += 10) {
        (state[y] as number) ^= lowMix;
        (state[y + 1] as number) ^= highMix;
      }
    }
    let low = at(state, 2);
    let high = at(state, 3);
    for (let step = 0; step < rounds; step++) {
      const target = at(targets, step);
      const bits = at(rotations, step);
      const one = bits & 32 ? high : low;
      const other = bits & 32 ? low : high;
      low = at(state, target);
      high = at(state, target + 1);
      // A shift counts its bits modulo 32: no rotation is by 0 or 32.
      state[target] = (one << bits) | (other >>> -bits);
      state[target + 1] = (other << bits) | (one >>> -bits);
    }
    for (let row = 0; row < 50; row += 10) {
      for (let x = 0; x < 14; x++) five[x] = at(state, row + (x % 10));
      for (let x = 0; x < 10; x++) (state[row + x] as number) ^= ~at(five, x + 2) & at(five, x + 4);
    }
    (state[0] as number) ^= at(constants, 2 * round);
    (state[1] as number) ^= at(constants, 2 * round + 1);
  }
}

const at = (list: ArrayLike<number>, index: number): number => list[index] as number;
