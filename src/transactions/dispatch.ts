import type { Follower } from '../chain/follower.js';
import type { Service } from '../service/service.js';
import { createBroadcast, createDelivery, type Delivery } from './delivery.js';
import { createOutbox, type Outbox } from './outbox.js';
import { createSubmit, type Submit } from './submit.js';

/** Everything that sends transactions and tracks them, in one lazy chunk that signing alone does not load. */
export interface Dispatch {
  readonly delivery: Delivery;
  readonly submit: Submit;
  /** Sends the open transactions of one chain. */
  outbox(service: Service, follower: Follower): Outbox;
}

export function createDispatch(options: createDispatch.Options): Dispatch {
  const { journal, now, since } = options;
  const broadcast = createBroadcast(journal);
  const delivery = createDelivery({ journal, broadcast, now });
  return {
    delivery,
    submit: createSubmit({ ...options, broadcast, delivery }),
    outbox: (service, follower) =>
      createOutbox({ journal, service, follower, delivery, broadcast, now, since }),
  };
}

export declare namespace createDispatch {
  interface Options extends Pick<createSubmit.Options, 'journal' | 'wake' | 'now'> {
    /** When this page began, milliseconds since 1970. */
    readonly since: number;
  }
}
