import { linksOf } from '../heads/steps.js';
import { type Engine, stepsKept } from './engine.js';
import { createInProcessEngine, createInProcessState } from './in-process.js';
import { readStep, writeStep } from './stored-step.js';

/** The database of a Durable Object. */
export interface ObjectDatabase {
  exec(query: string, ...values: (string | number)[]): Iterable<Record<string, unknown>>;
}

/**
 * The engine of one chain in a Durable Object, of which there is one for each chain: it is the leader. Steps and counts
 * are written to the database of the object, so that an object that has slept continues where it was. The platform sends
 * no message before what was written earlier is safe.
 */
export function createObjectEngine(database: ObjectDatabase, now: () => number = Date.now): Engine {
  database.exec(
    'CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT, step TEXT NOT NULL)',
  );
  database.exec('CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, count TEXT NOT NULL)');
  database.exec(
    "DELETE FROM counts WHERE name LIKE 'share:%' AND count NOT LIKE ?",
    `${Math.floor(now() / day)} %`,
  );
  const state = createInProcessState();
  const rows = [...database.exec('SELECT step FROM steps ORDER BY number')];
  state.steps = rows.flatMap(({ step }) => readStep(step) ?? []).slice(-stepsKept);
  state.links = linksOf(state.steps);

  const read = (name: string) => {
    const [row] = [...database.exec('SELECT count FROM counts WHERE name = ?', name)];
    return row ? String(row.count) : null;
  };
  const write = (name: string, text: string) =>
    void database.exec('INSERT OR REPLACE INTO counts (name, count) VALUES (?, ?)', name, text);
  const polledAt = read(polledKey);
  if (polledAt !== null) state.polledAt = Number(polledAt);

  const quotaStore = (name: string) => ({
    read: () => read(name),
    write: (text: string) => write(name, text),
  });
  const engine = createInProcessEngine({ state, quotaStore });
  return {
    ...engine,
    // An object that has slept would otherwise not know that its polls fail.
    polled(at) {
      engine.polled(at);
      write(polledKey, `${at}`);
    },
    // An object that slept would let each client begin again with a whole share.
    share: (client) => quotaStore(`share:${client}`),
    async publish(step) {
      database.exec('INSERT INTO steps (step) VALUES (?)', writeStep(step));
      database.exec('DELETE FROM steps WHERE number <= (SELECT MAX(number) FROM steps) - ?', stepsKept);
      await engine.publish(step);
    },
    logs: {
      want: engine.logs.want,
      wanted: engine.logs.wanted,
      // A removed log is reported from the logs of its step, also after a sleep.
      inSteps: true,
    },
  };
}

const polledKey = 'polled';
const day = 86_400_000;
