import { own } from '../../rpc/own.js';
import type { Service } from '../service.js';

/** The same service, whose requests have this priority unless they name another. */
export const withPriority = (service: Service, priority: Service.Priority): Service => ({
  ...service,
  request: (method, params, options) => service.request(method, params, own({ priority, ...options })),
});
