/**
 * The clauses of docs/notes/clients.md#clauses-of-the-standards, as they are numbered there, and where we stand with each. `clauses.test.ts` holds
 * the table: every clause has exactly one test of its name; those broken on purpose have one that shows what we
 * do instead. EIP-5792 has its own tests beside `src/calls`.
 */

/** How many clauses each has. Those above the count of docs/notes/clients.md#clauses-of-the-standards are its unnumbered extras, in its order. */
export const clauses: Readonly<Record<string, number>> = {
  'EIP-1193': 18,
  /** 7 and 8: concurrent calls, and eth_accounts before approval. */
  'EIP-1102': 8,
  /** 6 to 8: an unknown permission, two requests merge, the shape of D3 again after a change. */
  'EIP-2255': 8,
  'EIP-3085': 13,
  /** 8: equal requests at once. */
  'EIP-3326': 8,
  'EIP-747': 6,
  'EIP-712': 13,
  'ERC-191': 4,
  'EIP-155': 5,
  'EIP-4361': 11,
  'ERC-1191': 4,
  'EIP-6963': 8,
  'EIP-5749': 4,
  /** One for each shape that E names. */
  'EIP-1474': 5,
};

/** Why. The sentence is for whoever wonders; the test shows the behaviour. */
export const brokenOnPurpose: Readonly<Record<string, string>> = {
  'EIP-1102 (5)':
    'window.ethereum belongs to whoever the person has installed; a page’s owner asks for it (announce({ window: true })). EIP-6963 is how dapps find us.',
  'EIP-3085 (6)':
    'An icon is never fetched or shown: fetching it would tell a stranger who looks at the dialog. So it cannot be checked to be an image.',
  'EIP-3085 (7)':
    'http is taken for this machine alone (localhost, 127.0.0.1, [::1]): development nodes have no certificate, and nothing leaves the machine.',
  'EIP-3085 (9)':
    'wagmi gives up when the chain is not active after it was added. The one question says both: add it, and switch to it.',
  'EIP-3326 (5)':
    'What a person reads is not pulled away: a question says for which chain it is, and that is the chain which is signed for. A page’s own switch waits for its turn; only the owner, or another tab, can switch beneath an open question.',
  'EIP-747 (2)':
    'Libraries send lower case, and Rootstock’s explorers write EIP-1191. Mixed case that is neither checksum is refused.',
  'EIP-712 (9)':
    'EIP712Domain may be left out of types, as ethers and viem let their callers; it is made of the domain’s fields in the standard order, and every one of them is covered.',
  'EIP-4361 (10)':
    'eth_accounts answers in lower case, and Rootstock writes EIP-1191: any spelling of the account that signs will do. Servers compare as they like.',
  'EIP-5749 (1)':
    'Nobody reads window.evmproviders; EIP-6963 took its place. It would only be a second way to be found.',
  'EIP-5749 (2)':
    'The same: nobody reads provider.info. What it would hold is in the announcement of EIP-6963.',
  'EIP-5749 (3)': 'The same: a global that nobody reads is one too many.',
};

/** Clauses that a test elsewhere holds at full strength, with published vectors: the file, and its words. */
export const heldElsewhere: Readonly<Record<string, { readonly file: string; readonly words: string }>> = {
  'ERC-191 (3)': {
    file: 'test/e2e/conformance/clauses/eip-712.test.ts',
    words: 'EIP-712 (6) the digest is of 0x1901, the domain and the message',
  },
  'EIP-155 (1)': { file: 'test/unit/rpc/transaction.test.ts', words: 'toBe(example.digest)' },
  'EIP-155 (3)': { file: 'test/unit/rpc/transaction.test.ts', words: 'raw: example.raw' },
};
