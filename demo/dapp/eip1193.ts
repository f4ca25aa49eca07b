/** All that this dapp knows of a wallet: EIP-1193, and EIP-6963 to find it. */
export interface Provider {
  request(args: { method: string; params?: readonly unknown[] | object }): Promise<unknown>;
  on(event: string, listener: (value: never) => void): unknown;
  removeListener(event: string, listener: (value: never) => void): unknown;
}

export interface Discovered {
  readonly info: {
    readonly uuid: string;
    readonly name: string;
    readonly icon: string;
    readonly rdns: string;
  };
  readonly provider: Provider;
}

export type Ask = (method: string, params?: readonly unknown[] | object) => Promise<unknown>;

/** Calls `found` for each wallet once, those that come later included. */
export function discover(found: (wallet: Discovered) => void): void {
  const known = new Set<string>();
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { detail } = event as CustomEvent<Discovered>;
    if (known.has(detail.info.uuid)) return;
    known.add(detail.info.uuid);
    found(detail);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}
