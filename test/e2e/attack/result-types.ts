/**
 * The types of the seed's results ("Resources and their fields", "Methods with full parameter and result shape"),
 * written down a second time: nothing here is taken from `src`, so that what the wallet lets through is held
 * against the seed and not against itself. A type says what is wrong with a value, or `null`.
 */
export type Type = (value: unknown) => string | null;

const text = (value: unknown) =>
  `${typeof value === 'object' ? JSON.stringify(value) : String(value)}`.slice(0, 60);

const matching =
  (name: string, pattern: RegExp): Type =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? null : `${text(value)} is no ${name}`;

/** As short as it can be: libraries look some of them up by their text. */
const quantity = matching('QUANTITY', /^0x(0|[1-9a-f][0-9a-f]{0,63})$/);
/** Of what nobody computes with, as it was received. */
const anyQuantity = matching('QUANTITY', /^0x[0-9a-fA-F]{1,80}$/);
const data = matching('DATA', /^0x([0-9a-fA-F]{2})*$/);
const dataOf = (bytes: number) =>
  matching(`DATA of ${bytes} bytes`, new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`));
const hash = dataOf(32);
const address = dataOf(20);
const string: Type = (value) => (typeof value === 'string' ? null : `${text(value)} is no string`);
const boolean: Type = (value) => (typeof value === 'boolean' ? null : `${text(value)} is no boolean`);
const decimal = matching('decimal string', /^[1-9][0-9]*$/);
/** `undefined` is no result in JSON. */
const json: Type = (value) => (value === undefined ? 'nothing at all' : null);
/** Of what decides nothing: it is passed on as it was received. */
const received = json;
const nothing: Type = (value) => (value === null ? null : `${text(value)} is not null`);

const either =
  (...types: readonly Type[]): Type =>
  (value) => {
    const faults = types.map((type) => type(value));
    return faults.includes(null) ? null : faults.join('; ');
  };
const orNull =
  (type: Type): Type =>
  (value) =>
    value === null ? null : type(value);
const list =
  (type: Type, most = Number.POSITIVE_INFINITY): Type =>
  (value) => {
    if (!Array.isArray(value)) return `${text(value)} is no array`;
    if (value.length > most) return `${value.length} are more than ${most}`;
    for (const [i, each] of value.entries()) {
      const fault = type(each);
      if (fault !== null) return `[${i}]: ${fault}`;
    }
    return null;
  };

type Fields = Readonly<Record<string, Type>>;

/** `present` must be there; `optional` may be missing or `null`: services differ in what they leave out. */
const object =
  (present: Fields, optional: Fields = {}): Type =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `${text(value)} is no object`;
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, type] of Object.entries(present)) {
      const fault = Object.hasOwn(members, name) ? type(members[name]) : 'missing';
      if (fault !== null) return `${name}: ${fault}`;
    }
    for (const [name, type] of Object.entries(optional)) {
      if (!Object.hasOwn(members, name) || members[name] === null) continue;
      const fault = type(members[name]);
      if (fault !== null) return `${name}: ${fault}`;
    }
    return null;
  };

const transaction = object(
  { hash, nonce: quantity },
  {
    blockHash: hash,
    blockNumber: quantity,
    transactionIndex: quantity,
    from: address,
    to: address,
    gas: quantity,
    gasPrice: quantity,
    value: quantity,
    input: data,
    v: received,
    r: received,
    s: received,
    type: quantity,
  },
);

const block = object(
  {
    number: orNull(quantity),
    hash: orNull(hash),
    parentHash: hash,
    transactions: list(either(hash, transaction)),
  },
  {
    nonce: received,
    mixHash: received,
    sha3Uncles: received,
    logsBloom: dataOf(256),
    transactionsRoot: received,
    stateRoot: received,
    receiptsRoot: received,
    miner: address,
    difficulty: received,
    totalDifficulty: received,
    cumulativeDifficulty: received,
    extraData: received,
    size: received,
    gasLimit: quantity,
    gasUsed: quantity,
    timestamp: quantity,
    uncles: list(hash),
    minimumGasPrice: quantity,
    bitcoinMergedMiningHeader: received,
    bitcoinMergedMiningCoinbaseTransaction: received,
    bitcoinMergedMiningMerkleProof: received,
    hashForMergedMining: received,
    paidFees: received,
  },
);

const log = object(
  { topics: list(hash, 4) },
  {
    logIndex: quantity,
    transactionIndex: quantity,
    transactionHash: hash,
    blockHash: hash,
    blockNumber: quantity,
    address,
    data,
    removed: boolean,
  },
);
const logs = list(log);

const receipt = object(
  { transactionHash: hash, blockHash: hash, blockNumber: quantity, logs },
  {
    transactionIndex: quantity,
    from: address,
    to: address,
    cumulativeGasUsed: quantity,
    gasUsed: quantity,
    contractAddress: address,
    logsBloom: received,
    effectiveGasPrice: quantity,
    status: quantity,
    root: received,
    type: received,
  },
);

const syncStatus = object({
  startingBlock: anyQuantity,
  currentBlock: anyQuantity,
  highestBlock: anyQuantity,
});

const proof = object(
  { storageHash: hash },
  {
    address,
    balance: anyQuantity,
    codeHash: hash,
    nonce: anyQuantity,
    accountProof: list(data),
    storageProof: list(object({ key: anyQuantity, value: anyQuantity, proof: list(data) })),
  },
);

const ratio: Type = (value) =>
  typeof value === 'number' && value >= 0 ? null : `${text(value)} is no ratio`;
const feeHistory = object(
  { oldestBlock: anyQuantity, baseFeePerGas: list(anyQuantity), gasUsedRatio: list(ratio) },
  { reward: list(list(anyQuantity)) },
);

const accounts = list(address);
const permissions = list(object({ parentCapability: string }));
const executionPermissions = list(object({ context: hash, to: address, chainId: quantity }));
const signature = dataOf(65);

/** By method. Those that the seed lists by name only have no type that anybody promised: any JSON. */
const results: Readonly<Record<string, Type>> = {
  web3_clientVersion: string,
  web3_sha3: hash,
  net_version: decimal,
  net_listening: boolean,
  net_peerCount: anyQuantity,
  net_peerList: list(string),
  eth_chainId: quantity,
  eth_protocolVersion: anyQuantity,
  eth_syncing: either((value) => (value === false ? null : 'not false'), syncStatus),
  eth_coinbase: address,
  eth_mining: boolean,
  eth_hashrate: anyQuantity,
  eth_gasPrice: quantity,
  eth_accounts: accounts,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getStorageAt: hash,
  eth_getTransactionCount: quantity,
  eth_getBlockTransactionCountByHash: orNull(quantity),
  eth_getBlockTransactionCountByNumber: orNull(quantity),
  eth_getUncleCountByBlockHash: orNull(quantity),
  eth_getUncleCountByBlockNumber: orNull(quantity),
  eth_getCode: data,
  eth_sign: signature,
  eth_sendTransaction: hash,
  eth_sendRawTransaction: hash,
  eth_signTransaction: data,
  eth_call: data,
  eth_estimateGas: quantity,
  eth_getBlockByHash: orNull(block),
  eth_getBlockByNumber: orNull(block),
  eth_getTransactionByHash: orNull(transaction),
  eth_getTransactionByBlockHashAndIndex: orNull(transaction),
  eth_getTransactionByBlockNumberAndIndex: orNull(transaction),
  eth_getTransactionReceipt: orNull(receipt),
  eth_pendingTransactions: list(transaction),
  eth_getUncleByBlockHashAndIndex: orNull(block),
  eth_getUncleByBlockNumberAndIndex: orNull(block),
  eth_newFilter: quantity,
  eth_newBlockFilter: quantity,
  eth_newPendingTransactionFilter: quantity,
  eth_uninstallFilter: boolean,
  eth_getFilterChanges: list(either(hash, log)),
  eth_getFilterLogs: logs,
  eth_getLogs: logs,
  eth_getProof: proof,
  // What stands beside the seed: EIPs, and what clients expect of them.
  eth_feeHistory: feeHistory,
  eth_maxPriorityFeePerGas: quantity,
  eth_getBlockReceipts: orNull(list(receipt)),
  eth_subscribe: anyQuantity,
  eth_unsubscribe: boolean,
  eth_requestAccounts: accounts,
  eth_selectAccounts: accounts,
  personal_sign: signature,
  personal_ecRecover: address,
  eth_signTypedData: signature,
  eth_signTypedData_v1: signature,
  eth_signTypedData_v3: signature,
  eth_signTypedData_v4: signature,
  wallet_connect: object({
    accounts: list(
      object({
        address,
        capabilities: object({}, { signInWithEthereum: object({ message: string, signature }) }),
      }),
    ),
  }),
  wallet_disconnect: nothing,
  wallet_getPermissions: permissions,
  wallet_requestPermissions: permissions,
  wallet_revokePermissions: nothing,
  wallet_requestExecutionPermissions: executionPermissions,
  wallet_getGrantedExecutionPermissions: executionPermissions,
  wallet_getSupportedExecutionPermissions: object({}),
  wallet_revokeExecutionPermission: object({}),
  wallet_switchEthereumChain: nothing,
  wallet_addEthereumChain: nothing,
  wallet_watchAsset: boolean,
  wallet_getCapabilities: object({}),
  wallet_sendCalls: object({ id: string }),
  wallet_getCallsStatus: object({ version: string, id: string, chainId: quantity }),
  wallet_showCallsStatus: json,
  // By name only (docs/notes/node.md#methods-listed-by-name-only), where one type is all that it can be.
  debug_wireProtocolQueueSize: anyQuantity,
  rsk_protocolVersion: anyQuantity,
  rsk_getRawTransactionReceiptByHash: orNull(data),
  rsk_getTransactionReceiptNodesByHash: orNull(list(data)),
  rsk_getRawBlockHeaderByHash: orNull(data),
  rsk_getRawBlockHeaderByNumber: orNull(data),
  debug_traceTransaction: json,
  debug_traceBlockByHash: json,
  trace_transaction: json,
  trace_block: json,
  trace_filter: json,
  txpool_content: json,
  txpool_inspect: json,
  txpool_status: json,
  eth_bridgeState: json,
  eth_netHashrate: json,
};

/** What is wrong with what `method` resolved with; `null` when nothing is. A method without a type has no result. */
export function wrongType(method: string, result: unknown): string | null {
  const type = Object.hasOwn(results, method) ? results[method] : undefined;
  const fault = type ? type(result) : 'it has no result that anybody knows of';
  return fault === null ? null : `${method} resolves with a wrong type: ${fault}`;
}
