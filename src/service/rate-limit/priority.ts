import { own } from '../../rpc/own.js';
import type { Service } from '../service.js';

/** The same service for one kind of asker: what does not say otherwise has this priority. */
export const withPriority = (service: Service, priority: Service.Priority): Service => ({
  ...service,
  request: (method, params, options) => service.request(method, params, own({ priority, ...options })),
});
