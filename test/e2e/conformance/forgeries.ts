import type { Page } from 'playwright-core';

/**
 * The rows of the layer `channel`: messages that somebody forges. The wallet is in the page itself and speaks to
 * no other window, so whatever arrives is forged. Each row is what somebody does, by its id.
 */
export interface Forger {
  /** The page with the wallet. */
  readonly page: Page;
  /** Runs in a frame of the page: one of another origin, or one of the page's own. It is given messages. */
  inFrame(whose: 'foreign' | 'sibling', act: (forged: readonly unknown[]) => void): Promise<void>;
}

/** What the protocols of other wallets, and one of our own, would send. */
export const forged: readonly unknown[] = [
  { type: 'graft', id: 1, method: 'eth_accounts', result: ['0x00000000000000000000000000000000000000ee'] },
  { jsonrpc: '2.0', id: 1, result: '0x1' },
  { jsonrpc: '2.0', id: 1, error: { code: 4001, message: 'User rejected the request.' } },
  { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result: { number: '0x1' } } },
  { type: 'chainChanged', payload: '0x1', data: '0x1' },
  { type: 'accountsChanged', payload: [], data: [] },
  { topic: 'rpc-response', id: 1, payload: { result: '0x1' } },
  { topic: 'close' },
  {
    target: 'metamask-inpage',
    data: {
      name: 'metamask-provider',
      data: { method: 'metamask_chainChanged', params: { chainId: '0x1', networkVersion: '1' } },
    },
  },
  { type: 'handshake', version: 1 },
  { method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] },
];

const nothings: readonly unknown[] = [null, undefined, 0, '', false, [], {}, [null], { data: null }];

const send = (forged: readonly unknown[]): void => {
  for (const message of forged) window.parent.postMessage(message, '*');
};

const shakeHands = (forged: readonly unknown[]): void => {
  const channel = new MessageChannel();
  window.parent.postMessage({ type: 'handshake', version: 1 }, '*', [channel.port1]);
  for (const message of forged) channel.port2.postMessage(message);
};

const broadcast = (names: readonly string[], forged: readonly unknown[]): void => {
  for (const name of names) {
    const channel = new BroadcastChannel(name);
    for (const message of forged) channel.postMessage(message);
    channel.close();
  }
};

export const forgeries: Readonly<Record<string, (forger: Forger) => Promise<void>>> = {
  'channel-001': ({ inFrame }) => inFrame('foreign', send),
  'channel-003': ({ inFrame }) => inFrame('sibling', send),
  'channel-004': async ({ page, inFrame }) => {
    const empty = () => {
      for (const message of [null, undefined, 0, '', false, [], {}, [null], { data: null }])
        window.parent.postMessage(message, '*');
    };
    await inFrame('foreign', empty);
    await inFrame('sibling', empty);
    await page.evaluate(empty);
    await onChannels(page, nothings);
  },
  'channel-005': async ({ page, inFrame }) => {
    const replies = () => {
      for (let id = 0; id < 50; id++)
        window.parent.postMessage({ jsonrpc: '2.0', id, result: '0xdead', topic: 'rpc-response' }, '*');
    };
    await page.evaluate(replies);
    await inFrame('sibling', replies);
  },
  'channel-006': async ({ inFrame }) => {
    for (const whose of ['foreign', 'foreign', 'sibling', 'sibling'] as const)
      await inFrame(whose, shakeHands);
  },
  'channel-007': async ({ page, inFrame }) => {
    await inFrame('sibling', send);
    await onChannels(page, forged);
    // What a page's own script can say in the browser's name.
    await page.evaluate(() => {
      const { origin } = location;
      window.dispatchEvent(
        new MessageEvent('message', { origin, data: { type: 'chainChanged', data: '0x1' } }),
      );
      window.dispatchEvent(new StorageEvent('storage', { key: null, newValue: '{"chainId":1}' }));
      for (const key of Object.keys(localStorage))
        window.dispatchEvent(new StorageEvent('storage', { key, newValue: '{"chainId":1}' }));
    });
  },
};

/** A tab of the same origin could do it. `lock` alone is believed, and not sent: it takes nothing. */
async function onChannels(page: Page, messages: readonly unknown[]): Promise<void> {
  const names = await page.evaluate(() => (window as unknown as { channels: readonly string[] }).channels);
  await page.evaluate(`(${broadcast})(${JSON.stringify(names)}, ${JSON.stringify(messages)})`);
}
