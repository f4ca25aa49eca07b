/** A passkey that opens the wallet. */
export interface Passkey {
  /** Identifies it to `renamePasskey` and `removePasskey`. */
  readonly id: string;
  /** The name that the person gave it. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** It opens nothing until it is used once while the wallet is open, by `wakePasskey`. */
  readonly asleep?: true | undefined;
  /** It brings the wallet back where the browser's data is gone: see `createFromPasskey`. */
  readonly restores?: true | undefined;
}

/** The ways into a new vault: a password, a passkey that is made for it, or both. */
export interface NewWays {
  /** 8 characters to 1,024 bytes of UTF-8. */
  readonly password?: string | undefined;
  /** The name that the person gives to the passkey, 1 to 40 characters. */
  readonly passkey?: { readonly name: string } | undefined;
}
