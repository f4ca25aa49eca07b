/** An EIP-1193 provider. */
export interface Provider {
  request(args: { method: string; params?: readonly unknown[] | object }): Promise<unknown>;
  on(event: string, listener: (value: never) => void): unknown;
  removeListener(event: string, listener: (value: never) => void): unknown;
}

/** A wallet announced by EIP-6963. */
export interface Discovered {
  readonly info: {
    readonly uuid: string;
    readonly name: string;
    readonly icon: string;
    readonly rdns: string;
  };
  readonly provider: Provider;
}

export type RequestFunction = (method: string, params?: readonly unknown[] | object) => Promise<unknown>;

/** Calls `found` once for each announced wallet, also for those announced later. */
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
