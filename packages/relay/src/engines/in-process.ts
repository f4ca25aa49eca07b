import { callSafely } from '../../../../src/async/listeners.js';
import type { BlockLink } from '../../../../src/chain/blocks.js';
import { own } from '../../../../src/rpc/own.js';
import type { QuotaStore } from '../../../../src/service/rate-limit/daily-quota.js';
import { linksOf } from '../heads/steps.js';
import { type Engine, type RelayStep, stepsKept } from './engine.js';

/**
 * The engine of a relay of one process: everything is in memory. Several engines can share one state, as several
 * instances share a database; then the oldest candidate leads.
 */
export function createInProcessEngine(given: createInProcessEngine.Options = {}): Engine {
  const options = own(given);
  const { state = createInProcessState() } = options;
  const self = {};
  let closed = false;
  const undo = new Set<() => void>();
  if (state.links.length === 0) state.links = options.from ?? [];

  return {
    lead(follow) {
      if (closed) return () => {};
      const candidate: Candidate = { owner: self, follow };
      state.candidates.push(candidate);
      const leave = () => {
        undo.delete(leave);
        const at = state.candidates.indexOf(candidate);
        if (at < 0) return;
        state.candidates.splice(at, 1);
        candidate.stop?.();
        state.elect();
      };
      undo.add(leave);
      state.elect();
      return leave;
    },
    async publish(step) {
      if (closed || state.candidates[0]?.owner !== self) throw new Error('this instance is not the leader');
      state.publish(step);
    },
    subscribe(listener) {
      const entry = (step: RelayStep) => callSafely(listener, step);
      state.listeners.add(entry);
      const remove = () => {
        undo.delete(remove);
        state.listeners.delete(entry);
      };
      undo.add(remove);
      return remove;
    },
    recent: () => state.steps,
    logs: {
      want(wanted) {
        if (wanted) state.wantLogs.add(self);
        else state.wantLogs.delete(self);
      },
      wanted: () => state.wantLogs.size > 0,
      // All engines share the cache of the one chain, so that steps need no logs.
      inSteps: false,
    },
    quotaStore: options.quotaStore ?? state.quotaStore,
    polled(at) {
      if (state.candidates[0]?.owner === self) state.polledAt = at;
    },
    polledAt: () => state.polledAt,
    async close() {
      closed = true;
      state.wantLogs.delete(self);
      for (const each of [...undo]) each();
    },
  };
}

interface Candidate {
  readonly owner: object;
  readonly follow: (from: readonly BlockLink[]) => () => void;
  stop?: (() => void) | undefined;
}

/** State shared by the engines of one chain. */
export interface InProcessState {
  /** The first leads. */
  readonly candidates: Candidate[];
  readonly listeners: Set<(step: RelayStep) => void>;
  readonly wantLogs: Set<object>;
  steps: readonly RelayStep[];
  /** The newest of the chain, oldest first. */
  links: readonly BlockLink[];
  /** The last successful poll of the leader: milliseconds since 1970. */
  polledAt: number | undefined;
  elect(): void;
  publish(step: RelayStep): void;
  quotaStore(name: string): QuotaStore;
}

export function createInProcessState(): InProcessState {
  const quotas = new Map<string, string>();
  const state: InProcessState = {
    candidates: [],
    listeners: new Set(),
    wantLogs: new Set(),
    steps: [],
    links: [],
    polledAt: undefined,
    elect() {
      const [first] = state.candidates;
      if (first && !first.stop) first.stop = first.follow(state.links);
    },
    publish(step) {
      state.steps = [...state.steps, step].slice(-stepsKept);
      state.links = linksOf([step], state.links);
      for (const listener of [...state.listeners]) listener(step);
    },
    quotaStore: (name) => ({
      read: () => quotas.get(name) ?? null,
      write: (text) => void quotas.set(name, text),
    }),
  };
  return state;
}

export declare namespace createInProcessEngine {
  interface Options {
    /** Default: its own. */
    readonly state?: InProcessState | undefined;
    /** The newest links of an earlier process, oldest first, to continue from. */
    readonly from?: readonly BlockLink[] | undefined;
    /** Keeps the counts of the daily quota over restarts. Default: in memory. */
    readonly quotaStore?: ((name: string) => QuotaStore) | undefined;
  }
}
