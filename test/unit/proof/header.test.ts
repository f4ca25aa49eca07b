import { describe, expect, test } from 'vitest';
import { encodeHeader, readHeader } from '../../../src/proof/header.js';
import { rulesOf } from '../../../src/proof/rules.js';
import { NotProven, type Verdict } from '../../../src/proof/verdict.js';
import { checkWork } from '../../../src/proof/work.js';
import { bytesToHex } from '../../../src/rpc/hex.js';
import type { Block, Hex } from '../../../src/rpc/schema.js';
import {
  bitsIn,
  coveredFields,
  flipBit,
  mainnetBlocks,
  nodeBlocks,
  recorded,
} from '../../support/mined-blocks.js';
import { createRandom } from '../../support/random.js';

const local = rulesOf(33);
const mainnet = rulesOf(30);

function verdictOn(block: Block, rules = local): Verdict {
  try {
    checkWork(readHeader(block, rules), rules);
    return 'proven';
  } catch (error) {
    if (error instanceof NotProven) return error.verdict;
    throw error;
  }
}

describe('real blocks', () => {
  test('the hash and the work of four mainnet blocks hold, and so do their links', () => {
    const headers = mainnetBlocks().map((block) => {
      const header = readHeader(block, mainnet);
      checkWork(header, mainnet);
      return header;
    });
    expect(headers.map(({ number }) => number)).toEqual([4_481_393, 4_481_392, 4_481_391, 4_481_390]);
    for (const [at, { parentHash }] of headers.slice(0, -1).entries())
      expect(headers[at + 1]?.hash).toBe(parentHash);
    const { number, hash, difficulty, timestamp } = headers[0] as (typeof headers)[number];
    expect(mainnet.checkpoint).toEqual({ number, hash, difficulty, timestamp });
  });

  test('the hash and the work of every block of a development node hold', () => {
    const blocks = nodeBlocks();
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.map((block) => verdictOn(block))).toEqual(blocks.map(() => 'proven'));
  });

  test('the raw header of a development node is rebuilt from its block', () => {
    const raw = recorded('rsk_getRawBlockHeaderByNumber').map(({ result }) => result as Hex);
    const rebuilt = nodeBlocks().map((block) => bytesToHex(encodeHeader(block, 2)));
    expect(raw.filter((each) => rebuilt.includes(each)).length).toBeGreaterThan(0);
  });
});

/** BITS=all changes every bit (a minute); else one of each byte. */
const everyBit = process.env.BITS === 'all';

test('a changed bit of any field of a real block is found', () => {
  const random = createRandom(29);
  const samples: [Block, typeof local][] = [
    ...mainnetBlocks().map((block): [Block, typeof local] => [block, mainnet]),
    ...nodeBlocks().map((block): [Block, typeof local] => [block, local]),
  ];
  for (const [block, rules] of everyBit ? samples : [samples[0], samples[4]].filter((each) => !!each)) {
    for (const field of coveredFields) {
      const truth = block[field] as Hex;
      const step = everyBit ? 1 : 8;
      for (let bit = 0; bit < bitsIn(truth); bit += step) {
        const at = Math.min(bitsIn(truth) - 1, bit + (everyBit ? 0 : Math.floor(8 * random())));
        const verdict = verdictOn({ ...block, [field]: flipBit(truth, at) }, rules);
        if (field === 'number') expect(verdict).not.toBe('proven');
        else expect(verdict, `${field}, bit ${at}`).toBe('contradicted');
      }
    }
  }
});

describe('a block that shows nothing is claimed', () => {
  const block = nodeBlocks()[0] as Block;
  const cases: Record<string, Partial<Record<string, unknown>>> = {
    'no merged-mining fields': { bitcoinMergedMiningHeader: undefined },
    'a Bitcoin header of another length': { bitcoinMergedMiningHeader: '0x00' },
    'a field of a fork to come': { newRoot: block.stateRoot, stateRoot: block.receiptsRoot },
    'a field that is no text': { stateRoot: 7 },
    'a quantity of 33 bytes': { difficulty: `0x1${'0'.repeat(64)}` },
    'no list of uncles': { uncles: undefined },
    'edges that are no numbers': { rskPteEdges: ['0x1'] },
    'a number beyond all heights': { number: `0x${'f'.repeat(20)}` },
  };
  test.each(Object.entries(cases))('%s', (_, change) => {
    expect(verdictOn({ ...block, ...change } as Block)).toBe('claimed');
  });
  test('a mainnet block from before the hash left out the proof', () => {
    expect(verdictOn({ ...(mainnetBlocks()[0] as Block), number: '0xb1fa7' }, mainnet)).toBe('claimed');
  });
});

test('another first block than that of the chain is contradicted, the right one is claimed', () => {
  const first = { number: '0x0', hash: mainnet.genesis } as unknown as Block;
  expect(verdictOn(first, mainnet)).toBe('claimed');
  expect(verdictOn({ ...first, hash: rulesOf(31).genesis as Hex }, mainnet)).toBe('contradicted');
});
