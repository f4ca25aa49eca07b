import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createLocalService,
  type LocalNode,
  type LocalService,
} from '../../../packages/kit/src/local/index.js';
import { readCheckpoint } from '../../support/checkpoint.js';
import { clientOf } from '../../support/local-client.js';

/** The command that reads the checkpoint of a release. */

let local: LocalService;
let other: LocalNode;
beforeAll(async () => {
  local = await createLocalService({ mining: 'manual', difficulty: 40n });
  other = await local.addNode({ lag: 1 });
  await local.controls.mine(8);
});
afterAll(() => local?.close());

test('is the block below the lower head, on which both endpoints agree', async () => {
  const { hash, timestamp } = await clientOf(local).call('eth_getBlockByNumber', '0x4', false);
  expect(await readCheckpoint([local.url, other.url], 3)).toEqual({
    ...{ number: 4, hash, difficulty: 40n },
    timestamp: Number(timestamp),
  });
});

test('is refused of one owner, of endpoints that differ, and of a block whose hash is not that of its fields', async () => {
  await expect(readCheckpoint([local.url, local.url], 3)).rejects.toThrow('different owners');
  other.controls.lie('wrong-height');
  await expect(readCheckpoint([local.url, other.url], 3)).rejects.toThrow('differ in block 4');
  other.controls.clearFaults();
  other.controls.lie('forged-header');
  await expect(readCheckpoint([local.url, other.url], 3)).rejects.toThrow('not that of its fields');
});
