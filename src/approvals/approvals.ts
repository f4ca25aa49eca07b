import { anySignal } from '../async/cancellation.js';
import { lazy } from '../async/lazy.js';
import { limitExceeded, unauthorized, userRejected } from '../rpc/core-errors.js';
import { errorCode, isProviderRpcError, ProviderRpcError } from '../rpc/errors.js';
import { isNotLoaded, notLoaded } from '../rpc/not-loaded.js';
import type { Observation } from '../rpc/observation.js';
import { own } from '../rpc/own.js';
import { ownDeep } from '../rpc/own-data.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import { type Approved, mint } from './approved.js';
import type { Cover, PermittedTransaction } from './cover.js';
import { createDedupe, type Dedupe } from './dedupe.js';
import type { Credential, Owner, UnlockOptions } from './owner.js';
import type {
  Answer,
  Approver,
  ConnectQuestion,
  Question,
  QuestionNetwork,
  SharedUnlock,
} from './question.js';
import type { Warning } from './warning.js';

/** A question without the fields that the queue adds when it is shown: its id, its place, and whether the keys are locked. */
export type NewQuestion<Q extends Question = Question> = Q extends Question
  ? Omit<Q, 'id' | 'locked' | 'waiting'>
  : never;

/**
 * The queue of questions to the person: one at a time, in order for each origin, and with a turn for every origin that has
 * one. It is the only source of an {@link Approved}.
 *
 * Every question ends. It counts as refused when its caller aborts, the wallet closes, or it has been open for ten
 * minutes; then the next one is shown. The time limit also ends the deadlock of an approver that
 * waits for a request which itself needs an answer. Questions are not stored: after a reload none is pending.
 */
export interface Approvals {
  /**
   * Resolves with the approval of exactly `subject` once the person has agreed to `question`, or of the result of `revise`
   * where the question offers a choice.
   * @throws ProviderRpcError 4001 for a refusal, a closed dialog, an aborted `signal`; 4200 where the wallet cannot ask the
   * person (in a framed page); -32005 when too many questions of this origin are waiting already; 4100 when `stillAllowed`
   * fails, or the keys are still locked; -32002 where the dialog did not load or failed
   */
  request<T>(question: NewQuestion, subject: T, options?: Approvals.RequestOptions<T>): Promise<Approved<T>>;
  /**
   * Asks which accounts `question.origin` may see. Resolves with at least one of those in the question.
   * @throws ProviderRpcError as {@link Approvals.request}
   */
  connect(question: NewConnectQuestion, signal?: AbortSignal): Promise<readonly Address[]>;
  /** Begins to read whether a permission of a site covers a request; `null` for a site that has none. */
  permits(site: Cover.Site, service: Service): Approvals.Permits | null;
  /** Shares one question and its outcome between equal requests. */
  readonly dedupe: Dedupe;
  /** Refuses the waiting questions and closes the open dialog. */
  close(): void;
}

export declare namespace Approvals {
  interface Permits {
    /**
     * Resolves with the approval of transactions that a permission covers, which the person has been asked about earlier;
     * `null` if none does, and the person has to be asked now. While the keys are locked, it asks to unlock them.
     * @throws ProviderRpcError as {@link Approvals.request}
     */
    approve<T extends PermittedTransaction>(
      question: Pick<NewQuestion, 'origin' | 'network'>,
      transactions: readonly T[],
      facts: Cover.Facts,
      options?: Pick<RequestOptions, 'signal' | 'stillAllowed'>,
    ): Promise<Approved<readonly T[]> | null>;
  }
  interface RequestOptions<T = unknown> {
    readonly signal?: AbortSignal | undefined;
    /** True when agreeing needs the keys: while they are locked, the dialog asks for the password too. */
    readonly needsKeys?: boolean | undefined;
    /** Checked after the answer: whether the origin may still use the account (else 4100). */
    readonly stillAllowed?: (() => boolean) | undefined;
    /**
     * Applies what the person chose to the subject. The approver is not trusted: `null` for a choice that the question
     * does not offer, which counts as a refusal.
     */
    readonly revise?: ((subject: T, answer: ApprovingAnswer) => T | null) | undefined;
  }
}

/** An answer that agrees. Its members may have any type: they come from the approver. */
export type ApprovingAnswer = { readonly [Name in keyof Extract<Answer, { approved: true }>]?: unknown };

type NewConnectQuestion = NewQuestion<Extract<Question, { kind: 'connect' }>>;

interface Lock {
  locked(): boolean;
  /** Whether the keys are there for what a permission covers. Default: while they are not locked. */
  keeps?(): boolean;
  unlock(credential: Credential, options?: UnlockOptions): Promise<void>;
  sharedUnlock?(origin: string): SharedUnlock;
}

const refusal: Answer = { approved: false };

/** Codes by which an approver reports a refusal, or that it cannot ask a person. */
const approverCodes: readonly number[] = [
  errorCode.userRejected,
  errorCode.unsupportedMethod,
  errorCode.resourceUnavailable,
  errorCode.limitExceeded,
];

/** Questions of one origin that are shown in a row while another origin waits: an allowance and what needs it stay together. */
const maxInRow = 3;

export function createApprovals(options: createApprovals.Options): Approvals {
  const settings = own(options);
  const { lock, owner, cover, observation, maxWaiting = 20, openFor = 600_000 } = settings;
  /** One for all questions: between two of them it may keep its dialog open. */
  const approver = lazy(async () => settings.approver());
  /** One for each unanswered question: aborting it refuses the question. */
  const open = new Set<AbortController>();
  let closed = false;
  /** By origin: the questions since it last had none, and how many of them ended. */
  const waiting = new Map<string, { asked: number; ended: number }>();
  /** Unanswered questions by origin. */
  const unanswered = new Map<string, number>();
  /** Shows one question at a time. */
  const inTurn = createFairQueue(maxInRow);
  let count = 0;

  const showOnce = async (given: NewQuestion, keys: Lock | null, signal: AbortSignal): Promise<Answer> => {
    const locked = keys?.locked() ?? false;
    const { asked = 0, ended = 0 } = own(waiting.get(given.origin));
    const question = ownDeep({
      ...given,
      warnings: warningsOf(given),
      id: `q${++count}`,
      locked,
      ...(asked > 1 && { waiting: { index: ended + 1, count: asked } }),
    } as Question);
    const unlock = async (...args: Parameters<Lock['unlock']>) => keys?.unlock(...args);
    const needsOwner = locked || question.kind === 'onboarding' || question.kind === 'unlock';
    const shown = async () => {
      const [person, functions] = await Promise.all([approver(), needsOwner ? owner?.() : undefined]);
      // Setting a wallet up unlocks it too.
      const { sharedUnlock } = own(keys ?? (needsOwner ? await lock() : undefined));
      return person.ask(Object.freeze(question), { signal, unlock, owner: functions, sharedUnlock });
    };
    const answer = await shown().catch((error: unknown) => {
      // A person who was shown nothing has refused nothing.
      if (isNotLoaded(error)) throw notLoaded(error);
      throw isProviderRpcError(error) && approverCodes.includes(error.code) ? error : approverFailed(error);
    });
    const { approved } = own(answer);
    if (approved === false) return refusal;
    if (approved !== true) throw approverFailed();
    // An approver must unlock before it agrees to a locked question: without the keys nothing could be signed.
    if (question.locked && keys?.locked()) throw unauthorized('The wallet is locked.');
    return answer;
  };

  const show = async (question: NewQuestion, needsKeys: boolean, signal: AbortSignal): Promise<Answer> => {
    const keys = needsKeys ? await lock() : null;
    while (!signal.aborted) {
      const answer = await showOnce(question, keys, signal);
      // If the keys locked while the dialog was open, ask again, with the password.
      if (!answer.approved || !keys?.locked()) return answer;
    }
    return refusal;
  };

  /** Shows a question until `openFor` has passed, so that a dialog whose window died does not block the queue. */
  const showForLimitedTime = async (
    question: NewQuestion,
    needsKeys: boolean,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const expired = new AbortController();
    const timer = setTimeout(() => expired.abort(), openFor);
    const [ended, release] = anySignal(signal, expired.signal);
    try {
      return await unlessAborted(ended, () => show(question, needsKeys, ended));
    } finally {
      clearTimeout(timer);
      release();
    }
  };

  const ask = async <T>(question: NewQuestion, given: Approvals.RequestOptions<T>): Promise<Answer> => {
    const settings = own(given);
    const { origin } = question;
    const unansweredBefore = unanswered.get(origin) ?? 0;
    if (unansweredBefore >= maxWaiting)
      throw limitExceeded(`Too many pending approvals: ${maxWaiting} are waiting already.`);
    unanswered.set(origin, unansweredBefore + 1);
    const place = waiting.get(origin) ?? { asked: 0, ended: 0 };
    waiting.set(origin, place);
    place.asked++;
    // One controller for each question, since Node warns of a leak when many listen on one signal.
    const controller = new AbortController();
    if (closed) controller.abort();
    open.add(controller);
    const [signal, release] = anySignal(controller.signal, settings.signal);
    const turn = inTurn(origin, () =>
      showForLimitedTime(question, settings.needsKeys ?? false, signal).finally(() => {
        place.ended++;
        if (place.ended === place.asked) waiting.delete(origin);
      }),
    );
    const answer = unlessAborted(signal, () => turn);
    observation?.by?.question(question, answer);
    try {
      return await answer;
    } finally {
      release();
      open.delete(controller);
      const left = (unanswered.get(origin) ?? 1) - 1;
      if (left > 0) unanswered.set(origin, left);
      else unanswered.delete(origin);
    }
  };

  return {
    async request(question, subject, settings = {}) {
      const answer = await ask(question, settings);
      if (!answer.approved) throw userRejected();
      const { revise, stillAllowed } = own(settings);
      const revised = revise?.(subject, own(answer));
      // The answer chose what was not offered.
      if (revised === null) throw userRejected();
      if (stillAllowed?.() === false)
        throw unauthorized('The requested account and/or method has not been authorized by the user.');
      return mint(revised ?? subject);
    },
    permits(site, service) {
      const covering = cover?.(site, service);
      if (!covering) return null;
      return {
        async approve({ origin, network }, transactions, facts, given) {
          const { signal, stillAllowed } = own(given);
          const keys = await lock();
          const unlocking = { kind: 'unlock', origin, network, warnings: [] } as const;
          if (
            !(keys.keeps?.() ?? !keys.locked()) &&
            !(await ask(unlocking, { signal, needsKeys: true })).approved
          )
            throw userRejected();
          const permission = await (await covering).find(transactions, facts);
          if (closed || signal?.aborted) throw userRejected();
          if (permission === null || stillAllowed?.() === false) return null;
          return mint(transactions, permission);
        },
      };
    },
    async connect(question, signal) {
      const answer = await ask(question, { signal });
      if (!answer.approved) throw userRejected();
      const chosen = chosenAccounts(question, own(answer).accounts);
      if (chosen.length === 0) throw userRejected();
      return chosen;
    },
    dedupe: createDedupe(),
    close() {
      closed = true;
      for (const controller of open) controller.abort();
    },
  };
}

export declare namespace createApprovals {
  interface Options {
    /** Loads the approver when it is first needed, once; again only after a failure. */
    readonly approver: () => Approver | Promise<Approver>;
    /** The keys' lock, loaded when a question needs it. */
    readonly lock: () => Promise<Lock>;
    /** Loads the functions by which an approver sets up or recovers a wallet; absent where the page does that itself. */
    readonly owner?: (() => Promise<Owner>) | undefined;
    /** Unanswered questions allowed for one origin, the shown one included. Default 20. */
    readonly maxWaiting?: number | undefined;
    /** Milliseconds until an open question counts as refused. Default 600,000 (ten minutes). */
    readonly openFor?: number | undefined;
    /** The permissions of a site; absent or `null` where it has none. */
    readonly cover?: ((site: Cover.Site, service: Service) => Promise<Cover> | null) | undefined;
    readonly observation?: Observation | undefined;
  }
}

/**
 * Warns of a network that a page added: everything shown about it comes from that page's endpoint. Written out, because the core
 * loads nothing of `warning.ts`.
 */
const networkWarnings = ({ addedBy, source }: QuestionNetwork): readonly Warning[] =>
  addedBy === undefined
    ? []
    : [{ code: 'added-network', severity: 'caution', detail: `${addedBy}: ${source}` }];

/** The warnings of the question, with those about its networks after the dangers. */
function warningsOf(question: NewQuestion): readonly Warning[] {
  const networks =
    question.kind === 'switch-chain' ? [question.network, question.target] : [question.network];
  const isDanger = ({ severity }: Warning) => severity === 'danger';
  return [
    ...question.warnings.filter(isDanger),
    ...networks.flatMap(networkWarnings),
    ...question.warnings.filter((warning) => !isDanger(warning)),
  ];
}

/**
 * The addresses in an answer that the question offers, each once, in the order in which the person chose them; those selected at
 * first where the answer has none.
 */
export function chosenAccounts(
  { accounts, selected }: Pick<ConnectQuestion, 'accounts' | 'selected'>,
  answered: unknown,
): readonly Address[] {
  const given = answered ?? selected;
  const offered = accounts.map(({ address }) => address);
  return Array.isArray(given)
    ? [...new Set<unknown>(given)].filter((address): address is Address =>
        offered.includes(address as Address),
      )
    : [];
}

/** Only a person refuses (4001). The text of the failure is left out, because it may contain secrets. */
const approverFailed = (error?: unknown): ProviderRpcError => {
  const name = error instanceof Error ? ` (${error.name.slice(0, 64)})` : '';
  return new ProviderRpcError(
    errorCode.resourceUnavailable,
    `The wallet's dialog failed${name}, so the request has no answer. Nothing was signed.`,
    own({ reason: 'dialog-failed' }),
  );
};

/**
 * Resolves with the answer of `task`, or with a refusal as soon as `signal` aborts.
 * @throws ProviderRpcError always one: -32002 for another error, as of an answer that throws when it is read
 */
async function unlessAborted(signal: AbortSignal, task: () => Promise<Answer>): Promise<Answer> {
  if (signal.aborted) return refusal;
  let stop = (): void => {};
  const aborted = new Promise<Answer>((resolve) => {
    stop = () => resolve(refusal);
    signal.addEventListener('abort', stop, own({ once: true }));
  });
  try {
    return await Promise.race([task(), aborted]);
  } catch (error) {
    throw isProviderRpcError(error) ? error : approverFailed(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs asynchronous tasks one after another. Each resolves or rejects as its task does. */
type FairQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/**
 * A queue in which no key keeps another waiting: tasks of one key run in the order of the calls, at most `maxInRow` of them
 * in a row while a task of another key waits.
 */
export function createFairQueue(maxInRow: number): FairQueue {
  /** The waiting tasks by key; the key that has waited longest for its turn first. */
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let isRunning = false;
  let current = '';
  let inRow = 0;

  function nextKey(): string | undefined {
    if (waiting.has(current) && inRow < maxInRow) return current;
    const [first, second] = waiting.keys();
    return first === current ? (second ?? first) : first;
  }

  async function run(): Promise<void> {
    isRunning = true;
    // Tasks that are added in the same turn of the event loop wait together.
    await undefined;
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const [task, ...rest] = waiting.get(key) as [() => Promise<unknown>];
      [current, inRow] = [key, key === current ? inRow + 1 : 1];
      // Behind the others: their turn comes first.
      waiting.delete(key);
      if (rest.length > 0) waiting.set(key, rest);
      await task();
    }
    isRunning = false;
    inRow = 0;
  }

  return (key, task) =>
    new Promise((resolve, reject) => {
      const tasks = waiting.get(key) ?? [];
      tasks.push(() => task().then(resolve, reject));
      waiting.set(key, tasks);
      if (!isRunning) void run();
    });
}
