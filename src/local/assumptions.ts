/** A choice where neither the seed nor a reply recorded from the node shows what the service does. */
export interface Assumption {
  readonly id: string;
  readonly what: string;
  readonly why: string;
}

/**
 * Everything this service decided for itself, in one place. A test walks the table and holds each entry
 * against the service; what stands in neither document and not here either is a mistake.
 */
export const assumptions: readonly Assumption[] = [
  {
    id: 'key',
    what: 'Missing key: HTTP 401, -32600 "Must be authenticated!"; wrong key: "Invalid access key"; id null.',
    why: 'The seed shows nothing; these are the words of the one provider whose errors are documented.',
  },
  {
    id: 'path',
    what: 'A path of more than one segment: HTTP 404 without a body.',
    why: 'The node ignores the path; the hosted front needs it for the key.',
  },
  {
    id: 'quota',
    what: 'HTTP 429, error code 429, Retry-After until midnight UTC; every call of a batch counts.',
    why: 'The seed names daily quotas and shows no answer; code and status follow a documented provider.',
  },
  {
    id: 'cors',
    what: 'Any origin by default; one that is not allowed gets HTTP 400 without a body and without headers.',
    why: 'The documents’ own sandbox calls the service from a page; the refusal is the node’s.',
  },
  {
    id: 'connection',
    what: 'Seed dialect: connections are kept alive and answers are never compressed.',
    why: 'The node closes and compresses on request; the hosted front is unknown, and tests want speed.',
  },
  {
    id: 'texts',
    what: 'Errors in parameters and framing have the node’s codes and texts in both dialects.',
    why: 'The seed says "not shown"; the node stands behind it.',
  },
  {
    id: 'pending-refused',
    what: 'Seed dialect: pending with the five methods of rule 6 is -32201.',
    why: 'The code and text that the node keeps for it, though its present methods never use them.',
  },
  {
    id: 'unknown-block',
    what: 'Seed dialect: state reads, counts and calls at an unknown block answer null.',
    why: 'Errors rule 1 taken at its word; the node answers errors (dialect node).',
  },
  {
    id: 'block-nonce',
    what: 'Seed dialect: blocks have no nonce.',
    why: 'The seed lists the field, and its own example lacks it; a client must do without it.',
  },
  {
    id: 'lookup-id',
    what: 'Seed dialect: the two by-index lookups carry _id, 24 hexadecimal digits.',
    why: 'The seed says that they may, and no more; nothing of the kind is in the node.',
  },
  {
    id: 'failed-call',
    what: 'An eth_call that ends out of gas or at INVALID answers 0x in both dialects.',
    why: 'The seed speaks of reverts only; this is what the node does.',
  },
  {
    id: 'log-limit',
    what: 'Seed dialect: more than 10,000 logs over more than 2,000 blocks is -32012.',
    why: 'The seed gives the limits and no code; this is the node’s for its own limits.',
  },
  {
    id: 'log-range',
    what: 'Seed dialect: fromBlock after toBlock, or after the head, answers no logs.',
    why: 'Not shown; the node’s answer for it (the logs of toBlock) is a slip of its loop.',
  },
  {
    id: 'first-poll',
    what: 'Seed dialect: a new log filter’s first poll holds only what happened since its creation.',
    why: '"What happened since the previous poll" where there was none.',
  },
  {
    id: 'filter-block-hash',
    what: 'blockHash in eth_newFilter is read and otherwise ignored.',
    why: 'The seed gives the key to eth_getLogs only.',
  },
  {
    id: 'filter-expiry',
    what: 'A filter is gone 5 minutes after its last poll, by eth_getFilterChanges or eth_getFilterLogs.',
    why: 'The length is not shown in the seed; the node’s is 5 minutes, swept once a minute.',
  },
  {
    id: 'orphans',
    what: 'Blocks that left the chain are still found by their hash, with their logs; their state is not.',
    why: 'The node keeps every block it imported; its receipts are looked up in the main chain only.',
  },
  {
    id: 'reorg-pool',
    what: 'Orphaned transactions come back as pending without passing the pool’s checks again.',
    why: 'They passed them once; a test that wants them lost says so (`transactions: "gone"`).',
  },
  {
    id: 'made-up-fields',
    what: 'Merged-mining fields are hashes of the block’s hash, of fixed length; difficulty is constant.',
    why: 'The EVM has none; constant difficulty makes the longer branch the heavier one.',
  },
  {
    id: 'remasc',
    what: 'The REMASC transaction (dialect node) is added on the way out; roots and gas do not know of it.',
    why: 'The EVM has none. It is off in the seed dialect, where counts and receipts agree with the roots.',
  },
  {
    id: 'evm',
    what: 'Gas follows Ethereum’s Cancun, warm and cold accesses included; BASEFEE is 0.',
    why: 'No EVM from npm prices as Rootstock does (SLOAD 200, BASEFEE = minimumGasPrice).',
  },
  {
    id: 'unlisted',
    what: 'Seed dialect: eth_getProof, eth_getWork, eth_submitWork and eth_submitHashrate answer.',
    why: 'The seed describes them and leaves open whether they are supported; the node has none of them.',
  },
  {
    id: 'traces',
    what: 'Seed dialect: lists of steps are empty; a run that failed otherwise than by a revert has the EVM’s text.',
    why: 'The EVM keeps steps only when told to from the start, which the node dialect does with debug or trace on.',
  },
  {
    id: 'precompiles',
    what: 'Calls of Bridge, REMASC, HDWalletUtils, BlockHeader and Environment: recorded answers, otherwise 0x.',
    why: 'The EVM has none of them; contracts that call them find empty accounts.',
  },
  {
    id: 'expected-fees',
    what: 'The candidate block’s paidFees: its gas above the basic costs is shared out by gas limits.',
    why: 'The EVM gives the candidate’s gas as a sum.',
  },
  {
    id: 'network',
    what: 'A node beside the mining one reads the pending state at its head, without what its pool holds.',
    why: 'There is one EVM, and its next block belongs to the mining node.',
  },
  {
    id: 'bridge',
    what: 'Bridge, hashrate and peers are empty; mnr_submit… is -33000, for no header waits here.',
    why: 'Nothing stands behind them.',
  },
  {
    id: 'receipt-nodes',
    what: 'rsk_getTransactionReceiptNodesByHash answers one trie node, the raw receipt.',
    why: 'The receipts’ trie is the engine’s and cannot be asked for.',
  },
  {
    id: 'faucet',
    what: 'POST {base}/_local/faucet {address, amount?} credits wei without a transaction; no key needed.',
    why: 'Ours: a demo page must be able to ask for coins. The RPC path stays as the seed says.',
  },
];
