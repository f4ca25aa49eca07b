import { createLogEvents, type LoadableLogEvents } from '../../src/subscriptions/log-events.js';

/** The option `logEvents` of subscriptions and filters, loaded. Spread one into both where they share logs. */
export function logEventsOf(options: createLogEvents.Options): { readonly logEvents: LoadableLogEvents } {
  const events = createLogEvents(options);
  return { logEvents: Object.assign(async () => events, { peek: () => events }) };
}
