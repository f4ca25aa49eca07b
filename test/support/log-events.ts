import type { Loadable } from '../../src/async/when-loaded.js';
import { createLogEvents, type LogEvents } from '../../src/subscriptions/log-events.js';

/** The option `logEvents` of subscriptions and filters, loaded. Spread one into both where they share logs. */
export function logEventsOf(options: createLogEvents.Options): { readonly logEvents: Loadable<LogEvents> } {
  const events = createLogEvents(options);
  return { logEvents: Object.assign(async () => events, { peek: () => events }) };
}
