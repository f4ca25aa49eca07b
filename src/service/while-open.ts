import type { Service } from './service.js';

/**
 * The same service, which asks nothing more once `requireOpen` throws, but for what has been signed and for what is
 * left behind on it.
 */
export const whileOpen = (service: Service, requireOpen: () => void): Service => ({
  ...service,
  async request(...question) {
    if (!/^eth_(sendRawTransaction|uninstallFilter)$/.test(question[0])) requireOpen();
    return service.request(...question);
  },
});
