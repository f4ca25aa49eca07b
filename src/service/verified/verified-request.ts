import { withTimeout } from '../../async/cancellation.js';
import { rulesOfNetwork } from '../../proof/rules.js';
import { contradiction, NotProven, noProof } from '../../proof/verdict.js';
import { badReply } from '../../rpc/core-errors.js';
import { errorCode, ProviderRpcError } from '../../rpc/errors.js';
import { methodFacts } from '../../rpc/method-facts/method-facts.js';
import type { Observation } from '../../rpc/observation.js';
import { own } from '../../rpc/own.js';
import { membersOf } from '../../rpc/own-data.js';
import { heightIn } from '../../rpc/results.js';
import type { Block } from '../../rpc/schema.js';
import type { Endpoint, Endpoints } from '../endpoints.js';
import type { Transport } from '../http/transport.js';
import type { Admission } from '../rate-limit/token-bucket.js';
import type { createRetryingRequest, RetryingRequest } from '../retry.js';
import type { Service } from '../service.js';
import { type Ask, createAside } from './aside.js';
import { createVerifier, leftOut, type Verifier } from './verifier.js';

/** Requests whose replies are held against Bitcoin's work. */
export interface VerifiedRequest extends Service.Verification {
  /**
   * As the request below it. A reply that does not hold is read again at the other endpoints: the first one whose reply holds counts,
   * and those that it contradicts are not asked for ten minutes.
   *
   * Where none holds, a reply that is merely not shown is passed on, and so is a block, whose form may be that of a fork to come. False
   * contents of a block whose form is known are not.
   *
   * @throws ProviderRpcError -32603 with `data.reason` `contradicted`
   */
  readonly request: RetryingRequest;
}

/** Milliseconds for which an endpoint that another one has contradicted is not asked. */
const quarantine = 600_000;

/** Milliseconds that the reply of another endpoint is waited for. */
const secondPatience = 3_000;

/** Milliseconds for which a reason that all endpoints had alike sends no read to another one. */
const agreedPeriod = 60_000;

type Answer = Awaited<ReturnType<RetryingRequest>>;

/** A reply that does not hold, or nothing shows. */
interface Refuted {
  readonly answer: Answer;
  readonly problem: NotProven;
  /** Whether it holds but for the floor of difficulty. */
  readonly isLow: boolean;
}

/** An endpoint that was refuted, until another one has shown what is there. */
interface Suspect extends Refuted {
  readonly read: Verifier.Read;
  /** A time of {@link createVerifiedRequest.Options.now}. */
  readonly since: number;
}

export function createVerifiedRequest(given: createVerifiedRequest.Options): VerifiedRequest {
  const { request, endpoints, transports, now, network, observation, onContradicted } = own(given);
  const { chainId } = network;
  const verifier = createVerifier(rulesOfNetwork(network));
  const counts = { proven: 0, claimed: 0, contradicted: 0 };
  const suspects = new Map<Endpoint, Suspect>();
  const quarantined = new Set<Endpoint>();
  /** Until when a reason counts as one of the chain. */
  const agreed = new Map<string, number>();
  let last: string | undefined;

  const ask: Ask = createAside({
    ...own(given),
    async check(read, answer, admission) {
      const found = await examine(read, answer, ask(admission));
      if (found?.problem.verdict === 'contradicted') suspect(read, found);
      else if (!found || found.isLow) settle(read, answer);
      if (found && !found.isLow) throw found.problem;
    },
  });

  /** The reason why a reply is not proven, if there is one. */
  async function examine(
    read: Verifier.Read,
    answer: Answer,
    more: Verifier.Ask,
  ): Promise<Refuted | undefined> {
    try {
      const headers = await verifier.check(read, answer.result, more);
      const problem = verifier.floorProblem(headers);
      return problem && { answer, problem, isLow: true };
    } catch (error) {
      // A reply of a wrong form is for the caller's own check.
      const problem = error instanceof NotProven ? error : noProof('The reply has a wrong form.');
      return { answer, problem, isLow: false };
    }
  }

  /** Without the path, which has the API key. */
  const hostOf = ({ transport }: Endpoint): string =>
    new URL(network.urls[transports.indexOf(transport)] as string).host;

  function tell({ method }: Verifier.Read, { answer, problem }: Refuted): void {
    counts.contradicted++;
    last = problem.message;
    const height = heightIn(answer.result);
    const number = Number.isNaN(height) ? undefined : height;
    observation?.by?.contradicted(chainId, own({ method, host: hostOf(answer.endpoint), why: last, number }));
    onContradicted?.();
  }

  const suspect = (read: Verifier.Read, found: Refuted): void =>
    void suspects.set(found.answer.endpoint, own({ ...found, read, since: now() }));

  /** Must be called with a reply that holds: endpoints that were refuted about the same have lied. */
  function settle(read: Verifier.Read, { endpoint, result }: Answer): void {
    if (isNothing(result)) return;
    for (const [other, lie] of suspects) {
      const isSame = JSON.stringify(lie.read) === JSON.stringify(read);
      // The newest block of a node that is behind shows nothing about a newer one.
      const isLate = isHead(read) && heightIn(result) < heightIn(lie.answer.result);
      const isShown = isSame && !isLate;
      const isOver = now() - lie.since > quarantine;
      if (isShown || isOver) suspects.delete(other);
      if (!isShown || isOver || other === endpoint) continue;
      tell(lie.read, lie);
      // One endpoint is always left.
      if (quarantinedNow().length + 1 >= network.urls.length) continue;
      endpoints.exclude(other, quarantinedError(chainId, lie.problem));
      other.excludedUntil = now() + quarantine;
      quarantined.add(other);
    }
  }

  function quarantinedNow(): readonly Endpoint[] {
    for (const each of quarantined) if (each.excludedUntil <= now()) quarantined.delete(each);
    return [...quarantined];
  }

  const isAgreed = ({ verdict, message }: NotProven): boolean =>
    verdict === 'claimed' && (agreed.get(message) ?? Number.NEGATIVE_INFINITY) > now();

  const verified: RetryingRequest = async (method, params, admission, signal, onRefusal) => {
    const read = own({ method, params });
    const heard: Answer[] = [];
    const refuted: Refuted[] = [];
    while (heard.length < network.urls.length) {
      const without = heard.map(({ endpoint }) => endpoint);
      const send = () => request(method, params, admission, signal, onRefusal, without);
      // A second opinion is not waited for as long as an answer.
      const answer = heard.length === 0 ? await send() : await withTimeout(secondPatience, send);
      if (!answer) break;
      heard.push(answer);
      if (isNothing(answer.result)) {
        if (refuted.length === 0) return answer;
        continue;
      }
      const found = await examine(read, answer, ask(admission));
      if (!found?.problem.isDoubtful || isAgreed(found.problem)) return settled(read, answer, found, refuted);
      if (found.problem.verdict === 'contradicted') suspect(read, found);
      refuted.push(found);
    }
    return unsettled(read, refuted, heard.length);
  };

  /** The first reply that holds, or that nothing can show. */
  function settled(
    read: Verifier.Read,
    answer: Answer,
    found: Refuted | undefined,
    refuted: readonly Refuted[],
  ): Answer {
    if (!found)
      for (const each of refuted)
        if (isOutdone(read, each, answer))
          suspect(read, { ...each, problem: contradiction(each.problem.message) });
    if (!found || found.isLow) settle(read, answer);
    counts[found ? 'claimed' : 'proven']++;
    return answer;
  }

  /** The reply where that of no endpoint holds. */
  function unsettled(read: Verifier.Read, refuted: readonly Refuted[], heard: number): Answer {
    const [first] = refuted as readonly [Refuted];
    const isAlike =
      refuted.length > 1 && refuted.every(({ problem }) => problem.message === first.problem.message);
    const claimed = refuted.find(({ problem }) => problem.verdict === 'claimed');
    // Endpoints that fail alike have a form that is not known, or one owner.
    if (isAlike) for (const { answer } of refuted) suspects.delete(answer.endpoint);
    if (isAlike && heard === network.urls.length) agreed.set(first.problem.message, now() + agreedPeriod);
    if (claimed || isAlike) {
      counts.claimed++;
      return (claimed ?? first).answer;
    }
    // Another endpoint that has nothing yet does not tell who is right.
    if (heard === refuted.length) for (const each of refuted) tell(read, each);
    if (isBlock(read)) return first.answer;
    const why = first.problem.message;
    throw badReply(read.method, why, own({ reason: 'contradicted', why }));
  }

  const admission = (): Admission => own({ urgency: 1, payer: own({ dapp: null }) });

  return {
    request: verified,
    verdictOf: (hash, confirmations) => verifier.verdictOf(hash, confirmations, ask(admission())),
    holds(block) {
      try {
        const problem = verifier.floorProblem(verifier.checkBlock(block as Block));
        return !problem?.isDoubtful;
      } catch {
        return false;
      }
    },
    usage() {
      return { ...counts, quarantined: quarantinedNow().map(hostOf), ...(last !== undefined && { last }) };
    },
  };
}

const isBlock = ({ method }: Verifier.Read): boolean => methodFacts(method).proof === 'block';

const isHead = ({ params }: Verifier.Read): boolean => params[0] === 'latest';

const isNothing = (result: unknown): boolean => (result ?? null) === null;

/**
 * Whether a reply that holds shows that another one, which looked right, does not: a block of little work at the same height, or logs
 * of the same block that lack some. A node that is behind has none of a block that it lacks.
 */
function isOutdone(
  { params }: Verifier.Read,
  { answer, problem, isLow }: Refuted,
  { result }: Answer,
): boolean {
  const [one, other] = [membersOf(answer.result), membersOf(result)];
  if (isLow)
    return one.hash !== undefined && Number(one.number) === Number(other.number) && one.hash !== other.hash;
  const hasSome = Array.isArray(answer.result) && answer.result.length > 0;
  return problem.message === leftOut && hasSome && membersOf(params[0]).blockHash !== undefined;
}

/** The error where an endpoint would be asked that was contradicted. */
const quarantinedError = (chainId: number, { message }: NotProven) =>
  new ProviderRpcError(
    errorCode.chainDisconnected,
    `An endpoint of chain ${chainId} is not asked, since another one has contradicted it: ${message}`,
    { reason: 'contradicted' },
  );

export declare namespace createVerifiedRequest {
  interface Options extends Pick<createRetryingRequest.Options, 'limiterOf' | 'onSend'> {
    readonly network: Service['network'];
    readonly request: RetryingRequest;
    readonly endpoints: Endpoints;
    /** Those of the network's URLs, in their order. */
    readonly transports: readonly Transport[];
    /** Milliseconds, monotonic. */
    readonly now: () => number;
    readonly observation?: Observation | undefined;
    /** Called after each reply that cannot be true. */
    readonly onContradicted?: (() => void) | undefined;
  }
}
