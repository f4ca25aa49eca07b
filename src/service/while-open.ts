import type { Service } from './service.js';

/**
 * The same service, which rejects with the error of `requireOpen` once that throws. Two methods still go out: a signed
 * transaction must reach the network, and a server filter is to be removed.
 */
export const whileOpen = (service: Service, requireOpen: () => void): Service => ({
  ...service,
  async request(method, params, options) {
    if (!/^eth_(sendRawTransaction|uninstallFilter)$/.test(method)) requireOpen();
    return service.request(method, params, options);
  },
});
