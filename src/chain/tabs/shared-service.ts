import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Clock, systemClock } from '../../async/clock.js';
import { errorCode, isProviderRpcError } from '../../rpc/errors.js';
import { bytesToHex } from '../../rpc/hex.js';
import { own } from '../../rpc/own.js';
import { diagnose } from '../../service/errors/errors.js';
import type { Service } from '../../service/service.js';
import { pageVisibility, type Visibility } from '../visibility.js';
import type { Locks } from './leader-election.js';
import { fromFailure, type OpenChannel, openChannel } from './protocol.js';
import { latest, type Question, readQuestion } from './shareable-requests.js';
import { createTabs } from './tab-group.js';

/**
 * A service that all tabs of one origin, wallet and network ask as one: the leader's tab sends the request, the
 * others ask the leader. It is for what follows the chain ({@link readQuestion}); everything else goes to this
 * tab's own service as it is.
 *
 * Who leads decides only who asks. Each tab holds what it is told against what it has delivered, as if it came
 * from the service, so that a leader that dies, sleeps or errs costs time, and never an event.
 *
 * Nobody leads while nobody asks: some time after its last question, and as soon as it is hidden, a tab gives up
 * the lead. A hidden tab that asks all the same leads only where no other does.
 */
export interface SharedService extends Service {
  request(
    method: string,
    params: readonly unknown[],
    options?: SharedService.RequestOptions,
  ): Promise<unknown>;
  /** Nobody here asks for now: gives up the lead. The next request takes part again. */
  rest(): void;
  /** Shares no more; what waits for another tab is aborted. */
  stop(): void;
}

export declare namespace SharedService {
  interface RequestOptions extends Service.RequestOptions {
    /** Milliseconds that an answer may be old, for another tab may have asked. Never the same one twice. */
    maxAge?: number;
  }
}

export function createSharedService(service: Service, options: createSharedService.Options): SharedService {
  /** Sends a request of this tab's own. */
  const send: Service['request'] = (method, params, requestOptions) =>
    service.request(method, params, own({ priority: 'background' as const, ...requestOptions }));
  const { clock = systemClock, visibility = pageVisibility, random = Math.random } = own(options);
  const { locks = pageLocks(), open = openChannel, onHead, onAnswer } = own(options);
  /** The last look that was told here, by question. */
  const seen = new Map<string, string>();
  /** Questions about the head that are open. */
  let looking = 0;
  /** A look with a new head that was not told here yet. */
  let announced: string | undefined;
  /** Answers in a row of another tab's that were none. */
  let faults = 0;
  /** The last head that was told here, and since when. */
  let [head, headSince] = ['', clock.now()];

  const tabs = createTabs({
    ...{ send, locks, open, clock, visibility, random },
    name: shareName(options.name, service),
    newId: () => Math.floor(random() * 2 ** 48).toString(36),
    onHead(look) {
      announced = look;
      notice();
    },
  });

  /** A look that is under way here may be the one with the new head. */
  function notice(): void {
    if (announced === undefined || looking > 0) return;
    const isNew = announced !== seen.get(latest.key);
    announced = undefined;
    if (isNew && visibility.visible()) onHead?.();
  }

  async function ask(question: Question, options: SharedService.RequestOptions): Promise<unknown> {
    const { signal, check, maxAge } = own(options);
    const { key, method } = question;
    const isLook = key === latest.key;
    if (signal?.aborted) throw diagnose({ method, trouble: 'aborted' }, String).error;
    const answering = tabs.ask(question, { seen: seen.get(key), maxAge, signal });
    if (!answering) return send(method, question.params, options);
    const askedAt = clock.now();
    if (isLook) looking += 1;
    try {
      const { result, failure, look, at } = own(await answering);
      if (look !== undefined) seen.set(key, look);
      if (failure) throw fromFailure(failure);
      const mine: unknown = JSON.parse(result as string);
      verify(method, mine, check);
      onAnswer?.(method, question.params, mine, Math.min(askedAt, at ?? askedAt));
      if (isLook) faults = 0;
      return isLook && isStale(mine) ? await alone(options) : mine;
    } catch (error) {
      // Only the head: what else is asked for follows it, and a shared filter tells each thing once.
      if (!isLook || signal?.aborted || !isFault(error) || tabs.leads()) throw error;
      faults += 1;
      // Where the service itself fails, all tabs come here: seldom.
      if (faults !== 2 && faults % 32 !== 0) throw error;
      return await alone(options);
    } finally {
      if (isLook) looking -= 1;
      notice();
    }
  }

  /** Whether the head has been the same for so long that the tab which looks may be the reason. */
  function isStale(block: unknown): boolean {
    const { hash } = block as { hash: string };
    if (hash !== head) [head, headSince] = [hash, clock.now()];
    if (tabs.leads() || clock.now() - headSince < staleAfter) return false;
    headSince = clock.now();
    return true;
  }

  /**
   * Looks past the tab that leads. Where this tab's own connection is the better one, it leads from now on.
   * @throws ProviderRpcError what the service says to this tab
   */
  async function alone(options: SharedService.RequestOptions): Promise<unknown> {
    const block = (await send(latest.method, latest.params, options)) as { hash: string };
    if (faults > 0 || block.hash !== head) tabs.steal();
    faults = 0;
    return block;
  }

  return {
    ...service,
    async request(method, params, options = {}) {
      const question = readQuestion(method, params);
      return question ? ask(question, options) : send(method, params, options);
    },
    usage() {
      const { sent, shared } = service.usage();
      return { sent, shared: shared + tabs.answered() };
    },
    rest: tabs.rest,
    stop: () => tabs.stop(diagnose({ method: latest.method, trouble: 'aborted' }, String).error),
  };
}

/** What may be another tab's trouble alone; limits and refusals are everybody's. */
function isFault(error: unknown): boolean {
  const codes: readonly number[] = [
    errorCode.resourceUnavailable,
    errorCode.internal,
    errorCode.disconnected,
  ];
  return isProviderRpcError(error) && codes.includes(error.code);
}

/** Milliseconds: of ten thousand gaps between blocks, less than one is as long. */
const staleAfter = 300_000;

/** As the service itself does it: what another tab says is no better than what a server says. */
function verify(method: string, result: unknown, check: Service.RequestOptions['check']): void {
  try {
    check?.(result);
  } catch (error) {
    const text = error instanceof Error ? error.message : 'malformed';
    throw diagnose({ method, trouble: 'broken', text }, String).error;
  }
}

/**
 * Every script of the origin can read it, so it says of the URLs, which carry the API key, only whether they are
 * the same. The number is raised when what tabs say changes its meaning.
 */
function shareName(name: string, { network }: Service): string {
  const urls = new TextEncoder().encode(JSON.stringify(network.urls));
  return `${name}:shared-2:${network.chainId}:${bytesToHex(keccak_256(urls)).slice(2, 18)}`;
}

/** Where there are tabs: Node has Web Locks too (24), and what holds one there would not end. */
function pageLocks(): Locks | undefined {
  try {
    return globalThis.isSecureContext ? globalThis.navigator?.locks : undefined;
  } catch {
    return undefined;
  }
}

export declare namespace createSharedService {
  interface Options {
    /** The wallet's: tabs of other names are no part of it. */
    readonly name: string;
    /** Called when another tab, or one that asked this one, has seen a new head. */
    readonly onHead?: (() => void) | undefined;
    /** Called with each answer that came through the leader; `requestedAt` in milliseconds since 1970. */
    readonly onAnswer?:
      | ((method: string, params: readonly unknown[], result: unknown, requestedAt: number) => void)
      | undefined;
    readonly locks?: Locks | undefined;
    readonly open?: OpenChannel | undefined;
    readonly clock?: Clock | undefined;
    readonly visibility?: Visibility | undefined;
    /** 0 to 1. */
    readonly random?: (() => number) | undefined;
  }
}
