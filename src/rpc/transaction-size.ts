/** The chain refuses larger signed transactions (node-facts §1.7): bytes. */
export const maxTransactionSize = 131_072;
/** The chain refuses larger creation code (EIP-3860): bytes. */
export const maxInitCodeSize = 49_152;
