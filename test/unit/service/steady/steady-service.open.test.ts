import { expect, test } from 'vitest';
import { ProviderRpcError } from '../../../../src/rpc/errors.js';
import type { Service } from '../../../../src/service/service.js';
import { createSteadyService } from '../../../../src/service/steady/steady-service.js';
import { createSimulatedChain } from '../../../support/simulated-chain.js';

function setup() {
  const asked: string[] = [];
  const plain = createSimulatedChain().service;
  const service: Service = {
    ...plain,
    async request(method) {
      asked.push(method);
      return true;
    },
  };
  let isOpen = true;
  const guarded = createSteadyService({
    service,
    requireOpen() {
      if (!isOpen) throw new ProviderRpcError(4900, 'closed');
    },
  });
  return {
    asked,
    guarded,
    close() {
      isOpen = false;
    },
  };
}

test('passes requests on while open', async () => {
  const { asked, guarded } = setup();
  expect(await guarded.request('eth_getBalance', [])).toBe(true);
  expect(asked).toEqual(['eth_getBalance']);
});

test.each(['eth_sendRawTransaction', 'eth_uninstallFilter'])('passes %s on after close', async (method) => {
  const { asked, guarded, close } = setup();
  close();
  await guarded.request(method, []);
  expect(asked).toEqual([method]);
});

test('rejects every other request after close', async () => {
  const { asked, guarded, close } = setup();
  close();
  await expect(guarded.request('eth_getLogs', [{}])).rejects.toMatchObject({ code: 4900 });
  expect(asked).toEqual([]);
});
