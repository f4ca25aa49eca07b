/** The chain refuses larger signed transactions (docs/notes/node.md#pool-rules): bytes. */
export const maxTransactionSize = 131_072;
/** The chain refuses larger creation code (EIP-3860): bytes. */
export const maxInitCodeSize = 49_152;
