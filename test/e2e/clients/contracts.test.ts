import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  compileFactory,
  compileReverter,
  compileTour,
  factoryArtifact,
  reverterArtifact,
  tourArtifact,
} from '../../support/compile.js';

test('reverter.generated.ts is compiled from Reverter.sol', () => {
  expect(readFileSync(reverterArtifact, 'utf8')).toBe(compileReverter());
});

test('factory.generated.ts is compiled from Factory.sol', () => {
  expect(readFileSync(factoryArtifact, 'utf8')).toBe(compileFactory());
});

test("bytecode.js of the knight's tour is compiled from KnightsTour.sol", () => {
  expect(readFileSync(tourArtifact, 'utf8')).toBe(compileTour());
});
