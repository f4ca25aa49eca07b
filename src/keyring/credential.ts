/** What proves that the owner is present: the password, or one of the wallet's passkeys. */
export type Credential = string | { readonly passkey: true };

/** A passkey that opens the wallet. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The ways into a new vault: a password, a passkey that is made for it, or both. */
export interface NewWays {
  readonly password?: string;
  readonly passkey?: { readonly name: string };
}
