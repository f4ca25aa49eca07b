import type { Clock } from '../../async/clock.js';
import { own } from '../../rpc/own.js';
import type { Service } from '../../service/service.js';
import type { Visibility } from '../visibility.js';
import { type Asking, createAsking } from './leader-client.js';
import { createLeader, type Leader, type Locks } from './leader-election.js';
import { createAnswers } from './leader-server.js';
import { type Answer, type Channel, type Message, type OpenChannel, toFailure } from './protocol.js';
import { type Question, readQuestion } from './shareable-requests.js';

/** The tabs that ask a service as one, seen from one of them. It takes part from its first question on. */
export interface Tabs {
  /**
   * Answered by the leader, be it this tab or another. A failure of the service is an answer too: it rejects only
   * when the asker's signal aborts or this tab stops. `null` where tabs cannot share.
   */
  ask(question: Question, asker: Asking.Asker): Promise<Answer> | null;
  /** Takes part no more, once what is asked here and of here is answered. The next question begins again. */
  rest(): void;
  /** Takes part no more. What is open rejects with `reason`. */
  stop(reason: unknown): void;
  /** Questions of this tab that others answered. */
  answered(): number;
  /** Whether it is this tab that answers. */
  leads(): boolean;
  /** Answers from now on: the tab that did cannot. */
  steal(): void;
}

/** What a tab has while it takes part. */
interface Part {
  readonly channel: Channel;
  readonly leader: Leader;
  readonly unwatch: () => void;
}

export function createTabs(options: createTabs.Options): Tabs {
  const { name, send, locks, open, clock, visibility, newId, onHead } = own(options);
  const tab = newId();
  /** Asks of other tabs that are being answered. */
  const serving = new Set<string>();
  let part: Part | undefined;
  let alone = false;
  let resting = false;
  /** Open questions of this tab. */
  let asked = 0;
  let answered = 0;
  /** Milliseconds; the longest time between two of this tab's questions, as far as it shows. */
  let period = 0;
  let timer: unknown;

  const post = (message: Message) => part?.channel.post(message);
  const onSilence = () => part?.leader.steal();
  const asking = createAsking({ tab, post, onSilence, clock, random: options.random });
  const answers = createAnswers({
    send,
    clock,
    newId,
    onHead(look) {
      post({ kind: 'head', look });
      onHead(look);
    },
  });

  function takePart(): Part | null {
    if (alone || !locks) return null;
    resting = false;
    clock.clearTimeout(timer);
    try {
      part ??= {
        channel: open(name, hear),
        leader: createLeader({ name, locks, onChange, onRefused }),
        unwatch: visibility.watch(() => {
          if (!visibility.visible()) rest();
        }),
      };
    } catch {
      alone = true;
      return null;
    }
    part.leader.join();
    return part;
  }

  function rest(): void {
    resting = true;
    if (!part || asked > 0) return;
    part.leader.leave();
    if (serving.size === 0) end();
  }

  function end(): void {
    clock.clearTimeout(timer);
    part?.leader.leave();
    part?.unwatch();
    part?.channel.close();
    part = undefined;
    answers.clear();
  }

  function onChange(leads: boolean): void {
    if (!leads) return;
    post({ kind: 'lead' });
    asking.take((question, asker) => answers.get(question, { ...asker, tab }));
  }

  /** The lock may not be asked for: this tab's questions go to its own service from now on. */
  function onRefused(): void {
    alone = true;
    asking.take(({ method, params }, { signal }) =>
      send(method, params, signal && { signal }).then(
        (result) => ({ result: JSON.stringify(result ?? null) }),
        (error) => ({ failure: toFailure(error) }),
      ),
    );
    end();
  }

  function hear(message: Message): void {
    if (message.kind === 'ask') void answer(message);
    else if (message.kind === 'head') onHead(message.look);
    else asking.hear(message);
  }

  async function answer({ id, from, at, method, params, seen, maxAge }: Message.Ask): Promise<void> {
    const question = readQuestion(method, params);
    if (!question || !part?.leader.lead() || Math.abs(clock.now() - at) > stale) return;
    post({ kind: 'heard', id });
    if (serving.has(id)) return;
    serving.add(id);
    post({ kind: 'reply', id, ...(await answers.get(question, { tab: from, seen, maxAge })) });
    serving.delete(id);
    if (resting) rest();
  }

  async function ask({ leader }: Part, question: Question, asker: Asking.Asker): Promise<Answer> {
    asked += 1;
    period = Math.max(period, asker.maxAge ?? 0);
    try {
      if (leader.lead()) return await answers.get(question, { ...asker, tab });
      const answer = await asking.ask(question, asker);
      if (!leader.lead()) answered += 1;
      return answer;
    } finally {
      asked -= 1;
      if (resting) rest();
      else if (asked === 0 && part)
        timer = clock.setTimeout(rest, visibility.visible() ? Math.max(2 * period, idle) : moment);
    }
  }

  return {
    ask(question, asker) {
      const mine = takePart();
      return mine && ask(mine, question, asker);
    },
    rest,
    stop(reason) {
      alone = true;
      asking.giveUp(reason);
      end();
    },
    answered: () => answered,
    leads: () => part?.leader.lead() ?? false,
    steal: () => part?.leader.steal(),
  };
}

/** Milliseconds without a question after which a tab takes part no more; so long as it is hidden, a moment. */
const idle = 30_000;
const moment = 1_000;

/** Milliseconds after which an ask is not answered any more: whoever asked has turned to another leader. */
const stale = 2_000;

export declare namespace createTabs {
  interface Options {
    /** Of the lock and the channel. */
    readonly name: string;
    readonly send: Service['request'];
    readonly locks: Locks | undefined;
    readonly open: OpenChannel;
    readonly clock: Clock;
    readonly visibility: Visibility;
    /** Names a tab, or a look: no other has the same. */
    readonly newId: () => string;
    /** 0 to 1. */
    readonly random: () => number;
    /** Called when the leader, this tab or another, has seen a new head. */
    readonly onHead: (look: string) => void;
  }
}
