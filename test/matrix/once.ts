import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.js';

/** Ten minutes, milliseconds: a package registry may be slow. */
const patience = 600_000;

/**
 * Does some work once in a run: the first process that calls it does the work, all others wait for its end.
 *
 * @param folder of the run
 * @param name of the work
 * @throws Error with the message of the work's own error, in every process
 */
export async function onceInRun(folder: string, name: string, work: () => Promise<unknown>): Promise<void> {
  const place = join(folder, name);
  const outcome = join(place, 'outcome.json');
  const isFirst = await mkdir(place, { recursive: false }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const error = await work().then(
      () => null,
      ({ message }: Error) => message,
    );
    await writeFile(`${outcome}.new`, JSON.stringify({ error }));
    // At once, so that nobody reads half of it.
    await rename(`${outcome}.new`, outcome);
  }
  const text = await until(() => readFile(outcome, 'utf8').catch(() => null), {
    ...{ timeout: patience, interval: 100, failure: `${name} has not ended within ${patience} ms` },
  });
  const { error } = JSON.parse(text) as { error: string | null };
  if (error !== null) throw new Error(error);
}
