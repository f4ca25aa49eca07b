import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

/** Begins a line that names a failure, by which `npm test` finds it. */
export const FAILURE = 'Failed: ';

/**
 * Counts the tests of every project and prints `N passed, N failed` as the very last line of the process,
 * whatever else is printed at the end; a line for each failure comes before it. Failures outside tests count as failed too: a
 * file that does not load, a suite whose hook throws, an uncaught error, a run that was interrupted.
 */
export function summary(): Reporter {
  let lines = ['0 passed, 1 failed'];
  return {
    onInit() {
      process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
    },
    onTestRunEnd(modules, unhandledErrors, reason) {
      const failures = unhandledErrors.map((error) => describeFailure('outside of tests', error));
      failures.push(...modules.flatMap(failuresOf));
      const passed = modules.reduce((sum, { children }) => sum + [...children.allTests('passed')].length, 0);
      const isMissing = failures.length === 0 && (reason !== 'passed' || passed === 0);
      lines = [...failures, `${passed} passed, ${isMissing ? 1 : failures.length} failed`];
    },
  };
}

function failuresOf(module: TestModule): string[] {
  const { relativeModuleId: file, children } = module;
  const failures = module.errors().map((error) => describeFailure(file, error));
  for (const suite of children.allSuites())
    for (const error of suite.errors()) failures.push(describeFailure(`${file} > ${suite.fullName}`, error));
  for (const test of children.allTests('failed'))
    failures.push(describeFailure(`${file} > ${test.fullName}`, test.result().errors?.[0]));
  return failures.length > 0 || module.ok() ? failures : [describeFailure(file, undefined)];
}

function describeFailure(place: string, error: { message: string } | undefined): string {
  const [reason = ''] = stripVTControlCharacters(error?.message ?? '')
    .trim()
    .split('\n');
  return `${FAILURE}${place}: ${reason.slice(0, 300)}`;
}
