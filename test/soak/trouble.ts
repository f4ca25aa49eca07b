import type {
  ActualReply,
  Intercept,
  InterceptedRequest,
  LocalService,
  ScriptedReply,
} from '../../packages/kit/src/local/index.js';

/** What goes wrong between the tabs and the service, request by request, as often as `level` says. */
export interface Trouble {
  /** Shares of requests, 0 to 1. */
  level: { lost: number; garbled: number; nonsense: number };
  /** Answers come from the node that lags, every other one. */
  lagging: boolean;
  /** Nothing is answered. */
  down: boolean;
  /** The next requests are refused for their rate. */
  limited: number;
  /** How often each was done. */
  readonly done: Record<string, number>;
  calm(): void;
}

export function createTrouble(options: createTrouble.Options): Trouble {
  const { service, behind, random } = options;
  const done: Record<string, number> = {};
  const did = (what: string) => {
    done[what] = (done[what] ?? 0) + 1;
  };
  let turn = 0;

  const hook: Intercept = async (asked, answer) => {
    // Somebody else's, who is not looked at here.
    if (asked.calls[0]?.method === 'eth_sendRawTransaction') return undefined;
    if (trouble.down) {
      did('requests to a node that is down');
      return 'drop';
    }
    if (trouble.limited > 0) {
      trouble.limited -= 1;
      did('rate limits');
      return { status: 429, headers: { 'retry-after': '1' }, body: 'Too Many Requests' };
    }
    const { lost, garbled, nonsense } = trouble.level;
    const chance = random();
    if (chance < lost) {
      did('replies lost');
      await answer();
      return 'drop';
    }
    turn += 1;
    const lags = trouble.lagging && turn % 2 === 0;
    if (lags) did('answers of a lagging node');
    const truth = lags ? await forward(behind.url, asked.body) : await answer();
    if (chance < lost + garbled) {
      did('replies garbled');
      return garble(truth, random());
    }
    if (chance < lost + garbled + nonsense) {
      did('replies that are well-formed nonsense');
      return nonsensical(truth, asked, random());
    }
    return truth;
  };

  const trouble: Trouble = {
    level: { lost: 0, garbled: 0, nonsense: 0 },
    lagging: false,
    down: false,
    limited: 0,
    done,
    calm() {
      trouble.level = { lost: 0, garbled: 0, nonsense: 0 };
      Object.assign(trouble, { lagging: false, down: false, limited: 0 });
    },
  };
  service.controls.intercept(hook);
  return trouble;
}

async function forward(url: string, body: string): Promise<ScriptedReply & { body: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return {
    status: response.status,
    headers: { 'content-type': 'application/json' },
    body: await response.text(),
  };
}

function garble(truth: Pick<ActualReply, 'body'>, chance: number): ScriptedReply {
  const { body } = truth;
  if (chance < 0.3) return { body: body.slice(0, Math.floor(body.length / 2)) };
  if (chance < 0.5) return { body: '' };
  if (chance < 0.7) return { body: '\u0000\u001f{]' };
  return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' };
}

/**
 * A reply of the right form with the wrong thing in it. It can always be told from the truth: nobody could find
 * out that the logs of a range were left out.
 */
function nonsensical(
  truth: Pick<ActualReply, 'body'>,
  { calls }: InterceptedRequest,
  chance: number,
): ScriptedReply {
  const { result, ...frame } = JSON.parse(truth.body) as Record<string, unknown>;
  const { method, params } = calls[0] ?? { method: '', params: [] };
  const range = method === 'eth_getLogs' && !('blockHash' in ((params as object[])[0] ?? {}));
  const emptyLogs = method === 'eth_getLogs' && !range;
  const wrong: unknown[] = [{}, 'nonsense', 7, [{}], [null], emptyLogs ? [] : {}, emptyLogs ? null : '0x'];
  if (method.startsWith('eth_getBlockBy')) wrong.push(null, { ...(result as object), hash: null });
  const picked = wrong[Math.floor(chance * wrong.length)];
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...frame, result: picked }),
  };
}

export declare namespace createTrouble {
  interface Options {
    readonly service: LocalService;
    /** The same chain as it was a little earlier. */
    readonly behind: LocalService;
    readonly random: () => number;
  }
}
