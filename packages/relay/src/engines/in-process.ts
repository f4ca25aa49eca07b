import { createListeners, type Listeners } from '../../../../src/async/listeners.js';
import type { BlockLink } from '../../../../src/chain/blocks.js';
import { own } from '../../../../src/rpc/own.js';
import { linksOf } from '../heads/steps.js';
import { type Engine, type RelayStep, stepsKept } from './engine.js';

/**
 * The engine of a relay of one process: everything is in memory. Several engines can share one state, as several
 * instances share a database; then the oldest candidate leads.
 */
export function createInProcessEngine(options: createInProcessEngine.Options = {}): Engine {
  const { state = createInProcessState(), quotaStore = state.quotaStore } = own(options);
  const self = {};
  let closed = false;
  const undo = new Set<() => void>();
  /** A function that runs `run` once: when it is called, or when the engine is closed. */
  const undoing = (run: () => void) => {
    const end = () => void (undo.delete(end) && run());
    undo.add(end);
    return end;
  };

  return {
    lead(follow) {
      if (closed) return () => {};
      const candidate: Candidate = { owner: self, follow };
      state.candidates.push(candidate);
      state.elect();
      return undoing(() => {
        const at = state.candidates.indexOf(candidate);
        if (at < 0) return;
        state.candidates.splice(at, 1);
        candidate.stop?.();
        state.elect();
      });
    },
    async publish(step) {
      if (closed || state.candidates[0]?.owner !== self) throw new Error('this instance is not the leader');
      state.publish(step);
    },
    subscribe: (listener) => undoing(state.listeners.add(listener)),
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
    quotaStore,
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
  readonly follow: Parameters<Engine['lead']>[0];
  stop?: (() => void) | undefined;
}

/** State shared by the engines of one chain. */
export interface InProcessState {
  /** The first leads. */
  readonly candidates: Candidate[];
  readonly listeners: Listeners<[RelayStep]>;
  readonly wantLogs: Set<object>;
  steps: readonly RelayStep[];
  /** The newest of the chain, oldest first. */
  links: readonly BlockLink[];
  /** The last successful poll of the leader: milliseconds since 1970. */
  polledAt: number | undefined;
  elect(): void;
  publish(step: RelayStep): void;
  readonly quotaStore: Engine['quotaStore'];
}

export function createInProcessState(): InProcessState {
  const quotas = new Map<string, string>();
  const state: InProcessState = {
    candidates: [],
    listeners: createListeners(),
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
      state.listeners.emit(step);
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
    /** Keeps the counts of the daily quota over restarts. Default: in memory. */
    readonly quotaStore?: Engine['quotaStore'] | undefined;
  }
}
