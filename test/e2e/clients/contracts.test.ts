import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileReverter, reverterArtifact } from '../../support/compile.js';

test('the compiled reverter is that of the source', () => {
  expect(readFileSync(reverterArtifact, 'utf8')).toBe(compileReverter());
});
