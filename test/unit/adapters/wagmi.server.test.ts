import * as core from '@wagmi/core';
import { custom } from 'viem';
import { expect, test, vi } from 'vitest';
import { rootstockTestnet } from '../../../src/adapters/viem.js';
import { graft } from '../../../src/adapters/wagmi.js';
import type { Provider } from '../../../src/index.js';

test('a server that creates a config for each request leaves no listener on the wallet', () => {
  const on = vi.fn();
  const provider = { on, request: async () => null } as unknown as Provider;
  const createConfig = () =>
    core.createConfig({
      chains: [rootstockTestnet],
      connectors: [graft({ wallet: { provider } })],
      transports: { [rootstockTestnet.id]: custom(provider) },
      storage: core.createStorage({ storage: core.cookieStorage }),
      ssr: true,
    });
  expect(createConfig().connectors).toHaveLength(1);
  createConfig();
  expect(on).not.toHaveBeenCalled();
});
