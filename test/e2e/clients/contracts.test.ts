import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileReverter, reverterArtifact } from '../../support/compile.js';

test('reverter.generated.ts is compiled from Reverter.sol', () => {
  expect(readFileSync(reverterArtifact, 'utf8')).toBe(compileReverter());
});
