/** Maximum bytes of a signed transaction (docs/notes/node.md#pool-rules). */
export const maxTransactionSize = 131_072;
/** Maximum bytes of creation code (EIP-3860). */
export const maxInitCodeSize = 49_152;
