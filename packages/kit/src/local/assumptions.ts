/** A behaviour of the local service that neither the seed nor a recorded reply of the node defines. */
export interface Assumption {
  /** Names it in tests. */
  readonly id: string;
  /** Behaviour of the service. */
  readonly what: string;
  /** Reason for the behaviour. */
  readonly why: string;
}

/** By id. */
const behaviours: Readonly<Record<string, Omit<Assumption, 'id'>>> = {
  key: {
    what: 'Missing key: HTTP 401, -32600 "Must be authenticated!"; wrong key: "Invalid access key"; id null.',
    why: 'The seed does not show it; these are the texts of the one provider whose errors are documented.',
  },
  path: {
    what: 'A path of more than one segment: HTTP 404 without a body.',
    why: 'The node ignores the path; the hosted front needs it for the key.',
  },
  quota: {
    what: 'HTTP 429, error code 429, Retry-After until midnight UTC; every call of a batch counts.',
    why: 'The seed names daily quotas without the reply; code and status follow a documented provider.',
  },
  cors: {
    what: 'Any origin by default; one that is not allowed gets HTTP 400 without a body and without headers.',
    why: 'The documents’ own sandbox calls the service from a page; the refusal is the node’s.',
  },
  connection: {
    what: 'Seed dialect: connections are kept alive and answers are never compressed.',
    why: 'The node closes and compresses on request; the hosted front is unknown, and tests are faster so.',
  },
  texts: {
    what: 'Errors in parameters and framing have the node’s codes and texts in both dialects.',
    why: 'The seed says "not shown"; the node stands behind it.',
  },
  'pending-refused': {
    what: 'Seed dialect: pending with the five methods of rule 6 is -32201.',
    why: 'The node defines this code and text, though none of its methods uses them.',
  },
  'unknown-block': {
    what: 'Seed dialect: state reads, counts and calls at an unknown block answer null.',
    why: 'The seed’s errors rule 1, read literally; the node replies with errors (dialect node).',
  },
  'block-nonce': {
    what: 'Seed dialect: blocks have no nonce.',
    why: 'The seed lists the field, but its own example lacks it; a client must not depend on it.',
  },
  'lookup-id': {
    what: 'Seed dialect: the two by-index lookups carry _id, 24 hexadecimal digits.',
    why: 'The seed says that they may; the node has no such field.',
  },
  'failed-call': {
    what: 'An eth_call that ends out of gas or at INVALID answers 0x in both dialects.',
    why: 'The seed speaks of reverts only; this is what the node does.',
  },
  'log-limit': {
    what: 'Seed dialect: more than 10,000 logs over more than 2,000 blocks is -32012.',
    why: 'The seed gives the limits and no code; this is the node’s for its own limits.',
  },
  'log-range': {
    what: 'Seed dialect: fromBlock after toBlock, or after the head, answers no logs.',
    why: 'Not shown; the node’s reply (the logs of toBlock) is a bug of its loop.',
  },
  'first-poll': {
    what: 'Seed dialect: the first poll of a new log filter returns only logs since its creation.',
    why: 'The seed says "since the previous poll"; here there is none.',
  },
  'filter-block-hash': {
    what: 'blockHash in eth_newFilter is read and otherwise ignored.',
    why: 'The seed gives the key to eth_getLogs only.',
  },
  'filter-expiry': {
    what: 'A filter expires 5 minutes after its last poll, by eth_getFilterChanges or eth_getFilterLogs.',
    why: 'The length is not shown in the seed; the node’s is 5 minutes, swept once a minute.',
  },
  orphans: {
    what: 'Orphaned blocks are still found by hash, with their logs but without their state.',
    why: 'The node keeps every block it imported; its receipts are looked up in the main chain only.',
  },
  'reorg-pool': {
    what: 'Orphaned transactions become pending again without the pool’s checks.',
    why: 'They passed them once; a test can drop them (`transactions: "dropped"`).',
  },
  mining: {
    what: 'The Bitcoin block around a block is made up, with the work that its difficulty asks; difficulty is constant.',
    why: 'Nobody mines Bitcoin here; with constant difficulty the longer branch is the heavier one.',
  },
  'block-hashes': {
    what: 'BLOCKHASH within a call answers the EVM’s own hash, which no reply of the service has.',
    why: 'The EVM does not know Rootstock’s headers: a block gets its hash when it is read.',
  },
  genesis: {
    what: 'The first block has the hash of its own fields, not of Rootstock’s networks.',
    why: 'Its state is that of the EVM.',
  },
  remasc: {
    what: 'The REMASC transaction (dialect node) is added to replies and roots; it pays nobody. The seed dialect has none.',
    why: 'The EVM has none.',
  },
  evm: {
    what: 'Gas follows Ethereum’s Cancun, warm and cold accesses included; BASEFEE is 0. Dialect node: dry runs, traces and nonces of contracts are corrected where a trace shows a difference.',
    why: 'No EVM from npm runs or prices as Rootstock’s does (SLOAD 200, BASEFEE = minimumGasPrice, no 63/64 rule).',
  },
  unlisted: {
    what: 'Seed dialect: eth_getProof, eth_getWork, eth_submitWork and eth_submitHashrate answer.',
    why: 'The seed describes them and leaves open whether they are supported; the node has none of them.',
  },
  traces: {
    what: 'Seed dialect: lists of steps are empty; a failure other than a revert has the EVM’s error text.',
    why: 'The EVM records steps only if started so, which the node dialect does when debug or trace is on.',
  },
  precompiles: {
    what: 'Calls of Bridge, REMASC, HDWalletUtils, BlockHeader and Environment: recorded answers, otherwise 0x.',
    why: 'The EVM has none of them; a contract that calls them calls an empty account.',
  },
  'expected-fees': {
    what: 'The candidate block’s paidFees: its gas above the intrinsic gas is divided by gas limits.',
    why: 'The EVM reports only the sum of the candidate’s gas.',
  },
  network: {
    what: 'A node beside the mining one answers reads of the pending state with the state at its head, without its pool.',
    why: 'There is one EVM, and its next block belongs to the mining node.',
  },
  bridge: {
    what: 'Bridge, hashrate and peers are empty; mnr_submit… is -33000, because there is no work.',
    why: 'They are not implemented.',
  },
  faucet: {
    what: 'POST {base}/_local/faucet {address, amount?} credits wei without a transaction; no key needed.',
    why: 'An addition of this service, so that a demo page can get coins. The RPC path is unchanged.',
  },
};

/**
 * All behaviours that this service had to choose. A test checks each entry against the service. A behaviour that is in
 * neither the seed, the recordings nor this table is a bug.
 */
export const assumptions: readonly Assumption[] = Object.entries(behaviours).map(([id, each]) => ({
  id,
  ...each,
}));
