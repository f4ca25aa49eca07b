import { onTestFinished } from 'vitest';
import type { ProviderRpcError } from '../../../src/rpc/errors.js';
import { createService } from '../../../src/service/client.js';
import { createDiagnosis } from '../../../src/service/errors/diagnose.js';
import { createNetworks } from '../../../src/service/networks.js';
import { createScriptedService, type Script } from '../../support/scripted-service.js';

/** A scripted service that ends with the test. */
export async function play(...scripts: readonly Script[]) {
  const scripted = await createScriptedService(...scripts);
  onTestFinished(() => scripted.stop());
  return scripted;
}

/** Our client for these endpoints of chain 31, with waits short enough for a test. */
export function clientOf(url: string | readonly string[], options: Partial<createService.Options> = {}) {
  const [network] = createNetworks([{ chainId: 31, url }]);
  if (!network) throw new Error('no network');
  // Tests with fake timers cannot wait for a chunk.
  const defaults = { deadline: 2000, backoff: 2, random: () => 0.5, createDiagnosis };
  return createService({ network, ...defaults, ...options });
}

/** What `promise` rejects with; fails where it does not. */
export const rejection = (promise: Promise<unknown>): Promise<ProviderRpcError> =>
  promise.then(
    (value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)),
    (error) => error,
  );
