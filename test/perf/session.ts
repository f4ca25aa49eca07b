import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atMost, type Extent, type Row, times } from './row.js';
import type { Library } from './session-dapps.js';
import type { Pace, Results, SessionResult, SessionSettings } from './session-run.js';
import type { TabsResult } from './session-tabs.js';

/** How many times faster than real time the clocks of the sessions run. */
const factors = { short: 18, full: 12 };
const libraries: readonly Library[] = ['viem', 'ethers', 'web3'];

/** Limits, as shares of the requests of the library alone at its default interval of 4 s. */
const limits: Readonly<Record<Library, number>> = { viem: 0.45, ethers: 0.85, web3: 0.25 };
const busyLimit = 0.26;
const usualLimit = 0.35;

/**
 * The scripted dapp session (docs/notes/performance.md#requests), its steps at the same time, in a process whose timers and
 * clocks run {@link factors} times as fast: through our provider and with each library alone, each on a service of its own, at
 * the same moments. A busy page has two more widgets that read balances and gas price with each block, and one
 * more that watches logs. Requests are HTTP requests at the service.
 */
export async function measureSession({ short }: Extent): Promise<Row[]> {
  const factor = short ? factors.short : factors.full;
  const extent = short ? { factor, blocks: 3, payments: 1 } : { factor, blocks: 20, payments: 3 };
  // In parallel: each waits most of the time.
  const [tabs, ...played] = await Promise.all([
    inProcess(extent),
    ...(short ? libraries.slice(0, 1) : libraries).map((library) => inProcess({ ...extent, library })),
  ]);
  const sessions = played.flatMap((each) => each.sessions);
  return [...sessionRows(sessions, factor), ...(tabs.tabs ? tabsRows(tabs.tabs) : [])];
}

async function inProcess(settings: SessionSettings): Promise<Results> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--import', 'tsx'],
    fileURLToPath(new URL('session-run.ts', import.meta.url)),
    ...['run', JSON.stringify(settings)],
  ]);
  return JSON.parse(stdout) as Results;
}

function sessionRows(sessions: readonly SessionResult[], factor: number): Row[] {
  const of = (library: Library, busy: boolean, pace: Pace) =>
    sessions.find((each) => each.library === library && each.busy === busy && each.pace === pace);
  /** The library with the fewest requests at its default interval. */
  const best = (busy: boolean) =>
    sessions
      .filter((each) => each.pace === 'alone' && each.busy === busy)
      .reduce((least, each) => (each.requests < least.requests ? each : least));
  const rows: Row[] = [];
  for (const pace of ['same', 'usual'] as const)
    for (const busy of [false, true])
      for (const library of libraries) {
        const [ours, alone] = [of(library, busy, pace), of(library, busy, 'alone')];
        if (!ours || !alone) continue;
        const least = best(busy);
        const against = pace === 'same' ? alone : least;
        const share = ours.requests / against.requests;
        const limit = pace === 'usual' ? usualLimit : busy ? busyLimit : limits[library];
        // Busy pages are compared with viem only.
        const hasAim = pace === 'usual' ? !busy : !busy || library === 'viem';
        rows.push({
          what: `Session at ${factor}× speed, ${busy ? 'busy page, ' : ''}${library} on top, ${pace === 'same' ? 'at 4 s' : 'at our default'}: requests`,
          ours: figures(ours),
          peers: `${library} ${figures(alone)}`,
          ratio: `${times(share)} ${against.library}`,
          ...(hasAim && {
            // A session that missed events or payments does not count, however few its requests.
            aim: {
              text: `≤ ${limit}× ${against.library}`,
              met: ours.paid && ours.heard === ours.logs && share <= limit,
            },
          }),
        });
      }
  return rows;
}

/** With the mean time from a block to its listener, in the session's own seconds. */
const figures = ({ requests, calls, delay, paid, logs, heard }: SessionResult): string =>
  `${requests}${calls > requests ? ` (${calls} calls)` : ''}, blocks after ${(delay / 1000).toFixed(1)} s${paid ? '' : ', a payment without its receipt'}${heard === logs ? '' : `, ${heard} of ${logs} logs`}`;

function tabsRows({ subscribed, viem, quiet }: TabsResult): Row[] {
  const none = quiet.hidden + quiet.unwatched + quiet.left;
  return [
    {
      what: 'Five tabs subscribed to blocks and logs, at 4 s: requests',
      ours: `${subscribed.five} (one tab ${subscribed.one})`,
      ratio: `${times(subscribed.five / subscribed.one)} one tab`,
      aim: atMost(subscribed.five / subscribed.one, 1.1, '≤ 1.1× one tab'),
    },
    {
      what: 'Five tabs watching blocks and logs with viem, at 4 s: requests',
      ours: `${viem.five} (one tab ${viem.one})`,
      peers: `five of viem alone ${viem.alone * 5}`,
      ratio: `${times(viem.five / viem.one)} one tab, ${times(viem.five / (viem.alone * 5))} viem's five`,
      aim: atMost(viem.five / viem.one, 1.1, '≤ 1.1× one tab'),
    },
    {
      what: 'Page that is hidden, that listens to nothing, that has unsubscribed: requests in 10 blocks',
      ours: `${quiet.hidden}, ${quiet.unwatched}, ${quiet.left}`,
      aim: atMost(none, 0, '0'),
    },
  ];
}
