import { readFileSync, writeFileSync } from 'node:fs';
import { startVitest, type TestCase } from 'vitest/node';
import { differences } from './differences.js';

/**
 * `npm run test:only relay [files]`: the suites of the service's dialect, of the clauses and of the client libraries with a relay
 * between wallet and service. Their expectations are unchanged; what a relay does not meet on purpose is in
 * `differences.ts`, and it is a failure too if one of these passes.
 */
// Tables that the suites write anew where they differ: they are those of the wallet at the service.
const pages = ['docs/clients.md', 'docs/clients-node.md'].map((path) => [path, readFileSync(path)] as const);
const vitest = await startVitest('test', process.argv.slice(2), {
  config: new URL('vitest.config.ts', import.meta.url).pathname,
  watch: false,
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const reasonOf = ({ name }: TestCase) => differences.find(([ending]) => name.endsWith(ending))?.[1];
const unexpected = tests.filter((test) => {
  const { state } = test.result();
  return state === 'failed' ? !reasonOf(test) : state !== 'passed';
});
const obsolete = differences.filter(([ending]) => {
  const named = tests.filter(({ name }) => name.endsWith(ending));
  return named.length > 0 && named.every((test) => test.result().state === 'passed');
});
const broken = vitest.state
  .getTestModules()
  .filter(
    (module) => module.errors().length > 0 || (module.state() === 'failed' && module.children.size === 0),
  );
await vitest.close();
for (const [path, text] of pages) writeFileSync(path, text);

for (const test of unexpected) console.log(`not as expected: ${test.fullName}`);
for (const [name] of obsolete) console.log(`a relay meets this by now: ${name}`);
for (const { moduleId } of broken) console.log(`did not run: ${moduleId}`);
const failed = unexpected.length + obsolete.length + broken.length;
console.log(`${tests.length - unexpected.length} passed, ${failed} failed`);
process.exit(failed > 0 || tests.length === 0 ? 1 : 0);
