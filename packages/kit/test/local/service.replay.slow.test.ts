import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byForm } from './replay/compare.js';
import { readRecording, recordingNames } from './replay/recordings.js';
import { newOutcome, replay } from './replay/replay.js';
import type { Scene } from './replay/scene.js';
import { autoMineScene, firstScene, secondScene } from './replay/scenes.js';

/**
 * Sends every request that was recorded on a running node to the local service in its node dialect, over HTTP. Each reply
 * must equal the node's in status, error code and message, and every field and value. Hashes that differ between the
 * chains are mapped (`names.ts`), and some values are compared by form (`byForm`).
 */

const scenes: readonly [name: string, start: () => Promise<Scene>][] = [
  ['a chain of 255 blocks', firstScene],
  ['a chain of 5,628 blocks', secondScene],
  ['a node that mines each transaction', autoMineScene],
];

const outcome = newOutcome(byForm);
const { found, waived, replayed } = outcome;

describe.each(scenes)('%s', (_, start) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await start();
  }, 60_000);
  afterAll(() => scene?.service.close());

  test('every recorded request gets the node’s reply', async () => {
    found.clear();
    await replay(scene, outcome);
    expect(Object.fromEntries(found)).toEqual({});
  }, 120_000);
});

test('every recording was replayed, and every rule of comparison was needed', () => {
  const all = recordingNames().flatMap((file) =>
    readRecording(file).items.map((_, index) => `${file}#${index}`),
  );
  expect([...replayed].sort()).toEqual(all.sort());
  expect(all.length).toBe(737);
  expect([...waived].sort()).toEqual([...Object.keys(byForm.fields), ...Object.keys(byForm.replies)].sort());
});
