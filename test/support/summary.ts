import type { Reporter, TestModule } from 'vitest/node';

/**
 * Counts the tests of every project and prints `N passed, N failed` as the very last line of the process,
 * whatever else is printed at the end. Failures outside tests count as failed too: a file that does not load, a suite
 * whose hook throws, an uncaught error, a run that was interrupted.
 */
export function summary(): Reporter {
  let line = '0 passed, 1 failed';
  return {
    onInit() {
      process.once('exit', () => process.stdout.write(`${line}\n`));
    },
    onTestRunEnd(modules, unhandledErrors, reason) {
      let passed = 0;
      let failed = unhandledErrors.length;
      for (const module of modules) {
        const counts = count(module);
        passed += counts.passed;
        failed += counts.failed;
      }
      if (reason !== 'passed' || passed === 0) failed = Math.max(failed, 1);
      line = `${passed} passed, ${failed} failed`;
    },
  };
}

function count(module: TestModule): { passed: number; failed: number } {
  let passed = 0;
  let failed = module.errors().length;
  for (const suite of module.children.allSuites()) failed += suite.errors().length;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') passed += 1;
    if (state === 'failed') failed += 1;
  }
  return { passed, failed: module.ok() ? failed : Math.max(failed, 1) };
}
