import { keccak_256 } from '@noble/hashes/sha3.js';
import { limitExceeded, type ProviderRpcError } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { createAllowance, type Ledger } from './daily-quota.js';
import { createBucket, type Turn } from './token-bucket.js';
import type { BudgetLimits } from './limits.js';
import { type Fault, isSend } from '../errors/errors.js';
import type { Network } from '../networks.js';
import type { Service } from '../service.js';

/**
 * What the endpoints of one network may be asked, so that a key lasts for the day and a page that runs wild does
 * not use it up: so fast ({@link createBucket}) and so often ({@link createAllowance}). A chunk of its own.
 */
export interface Budget {
  /** In the order of the network's URLs; none for an endpoint that nobody counts. */
  readonly accounts: readonly (Account | undefined)[];
  /** How much slower than usual to do what runs by itself: 1, 2, 4, 8 or 16 times. */
  stretch(): number;
  usage(): Service.Quota;
  close(): void;
}

/** Of one endpoint. */
export interface Account {
  /** Why the request may not go out today; `undefined` where it may. */
  refusal(method: string, turn: Turn): ProviderRpcError | undefined;
  /**
   * `undefined`: it may go out at once. Else resolves when it may, or when `signal` aborts; with -32005 where its
   * turn would not come before `until`.
   */
  admit(turn: Turn, until: number, signal?: AbortSignal): Promise<ProviderRpcError | undefined> | undefined;
  /** It goes out. Returns its number. */
  count(): number;
  /** The request of that number was answered. */
  answered(request: number): void;
  failed(fault: Fault): void;
}

const hosted: Required<BudgetLimits> = { requestsPerDay: 25_000, requestsPerSecond: 20, burst: 100 };
/** Seconds: an endpoint's wish to wait longer is not believed (endpoints.ts). */
const longestPause = 30;

export function createBudget(options: createBudget.Options): Budget {
  const { network, limits, memory, onChange } = options;
  const { now = () => performance.now(), date = Date.now } = own(options);

  function open(url: string) {
    // http is taken on this machine only (networks.ts), and costs nobody's quota unless its owner says so.
    const usual = url.startsWith('https:') ? hosted : undefined;
    if (!usual && !limits) return undefined;
    const asked = own<BudgetLimits>({ ...usual, ...limits });
    const { requestsPerDay = null, requestsPerSecond = null, burst = hosted.burst } = asked;
    const allowance = createAllowance({
      perDay: requestsPerDay,
      ledger: memory(ledgerName(network.chainId, url)),
      now: date,
      onChange,
    });
    const bucket = requestsPerSecond === null ? null : createBucket({ rate: requestsPerSecond, burst, now });
    const account: Account = {
      refusal: (method, turn) => allowance.refusal(turn.urgency, isSend(method)),
      admit: (turn, until, signal) =>
        bucket?.take(turn, until, signal)?.then((wait) => (wait > 0 ? tooMany(wait) : undefined)),
      count: allowance.count,
      answered: allowance.answered,
      failed({ reason, retryAfter }) {
        if (reason === 'quota') allowance.spent(retryAfter);
        if (reason === 'rate') bucket?.slow(Math.min(longestPause, retryAfter ?? 0) * 1000);
      },
    };
    return { account, allowance, perDay: requestsPerDay };
  }

  const opened = network.urls.map(open);
  const counted = opened.filter((each) => each !== undefined);
  const allowances = counted.map(({ allowance }) => allowance);

  return {
    accounts: opened.map((each) => each?.account),
    stretch: () =>
      counted.length < opened.length ? 1 : Math.min(...allowances.map((each) => each.stretch())),
    usage: () => ({
      today: allowances.reduce((sum, each) => sum + each.today(), 0),
      perDay: opened.every((each) => typeof each?.perDay === 'number')
        ? counted.reduce((sum, { perDay }) => sum + (perDay as number), 0)
        : null,
      state: best(opened.map((each) => each?.allowance.state() ?? 'normal')),
    }),
    close() {
      for (const each of allowances) each.close();
    },
  };
}

/** The next endpoint takes what the one before refuses: a network stands as well as its best. */
const best = (states: readonly Service.Quota['state'][]) =>
  (['normal', 'saving', 'reserved'] as const).find((each) => states.includes(each)) ?? 'spent';

/** Every script of the origin can read it: it shows which URLs are the same, and not the key in them. */
const ledgerName = (chainId: number, url: string) =>
  `graft:budget:${chainId}:${bytesToHex(keccak_256(new TextEncoder().encode(url))).slice(2, 18)}`;

function tooMany(wait: number): ProviderRpcError {
  const retryAfter = Math.ceil(wait / 1000);
  const message = `There are too many requests per second; ask again in ${retryAfter} s`;
  return limitExceeded(message, { reason: 'rate', retryAfter });
}

export declare namespace createBudget {
  interface Options {
    readonly network: Pick<Network, 'chainId' | 'urls'>;
    /** What the page's owner said of this network: holds for each of its URLs. */
    readonly limits?: BudgetLimits | undefined;
    /** The store of a name: tabs of one origin share it. */
    readonly memory: (name: string) => Ledger;
    /** Called when what {@link Budget.usage} says of the state has changed. */
    readonly onChange: () => void;
    /** Milliseconds, monotonic. */
    readonly now?: (() => number) | undefined;
    /** Milliseconds since 1970. */
    readonly date?: (() => number) | undefined;
  }
}
