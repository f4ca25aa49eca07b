import type { Follower } from '../chain/follower.js';
import type { Service } from '../service/service.js';
import { createBroadcast } from './broadcast.js';
import { createDelivery, type Delivery } from './delivery.js';
import type { Journal } from './journal.js';
import { createOutbox, type Outbox } from './outbox.js';
import { createSubmit, type Submit } from './submit.js';

/** What sends transactions and finds out what became of them, in one lazy chunk: who only signs does without. */
export interface Dispatch {
  readonly delivery: Delivery;
  readonly submit: Submit;
  /** Sends what the journal holds for one chain. */
  outbox(service: Service, follower: Follower): Outbox;
}

export function createDispatch(options: createDispatch.Options): Dispatch {
  const { journal, now, since } = options;
  const broadcast = createBroadcast();
  const delivery = createDelivery({ journal, broadcast, now });
  return {
    delivery,
    submit: createSubmit({ ...options, broadcast, delivery }),
    outbox: (service, follower) =>
      createOutbox({ journal, service, follower, delivery, broadcast, now, since }),
  };
}

export declare namespace createDispatch {
  interface Options extends Pick<createSubmit.Options, 'senderOf' | 'wake' | 'now'> {
    readonly journal: Journal;
    /** When this page began, milliseconds since 1970. */
    readonly since: number;
  }
}
