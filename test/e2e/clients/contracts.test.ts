import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileFactory, compileReverter, factoryArtifact, reverterArtifact } from '../../support/compile.js';

test('reverter.generated.ts is compiled from Reverter.sol', () => {
  expect(readFileSync(reverterArtifact, 'utf8')).toBe(compileReverter());
});

test('factory.generated.ts is compiled from Factory.sol', () => {
  expect(readFileSync(factoryArtifact, 'utf8')).toBe(compileFactory());
});
