/** Made by `local-service-plugin.ts`: where the page's own local service answers; `null` when there is none. */
declare module 'virtual:local-service' {
  /** The URL has the API key as its last path segment. */
  export const local: { readonly url: string; readonly chainId: number } | null;
}

/** Settings of `npm start`, by environment or in a file `demo/.env.local`. */
interface ImportMeta {
  readonly env: {
    /** A service instead of the local one, with its API key. */
    readonly VITE_SERVICE_URL?: string;
    /** The chain that it serves; 31 (testnet) unless told. */
    readonly VITE_CHAIN_ID?: string;
  };
}
