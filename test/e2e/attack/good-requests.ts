import { values } from '../../support/keys.js';
import { rawOk } from '../conformance/raw-transactions.js';
import { typedData } from '../conformance/typed-data.js';

const { $A0, $X, $H32 } = values;

/** Good params by method, to be spoilt: what is wrong all over is refused at the door. */
export const good: Readonly<Record<string, readonly unknown[]>> = {
  eth_getBalance: [$A0, 'latest'],
  eth_getStorageAt: [$A0, '0x0', 'latest'],
  eth_getCode: [$X, { blockHash: $H32 }],
  eth_getTransactionCount: [$A0, 'pending'],
  eth_call: [{ from: $A0, to: $X, data: '0x70a08231', gas: '0x5208' }, 'latest'],
  eth_estimateGas: [{ from: $A0, to: $X, value: '0x1' }],
  eth_getBlockByNumber: ['0x64', true],
  eth_getBlockByHash: [$H32, false],
  eth_getTransactionByHash: [$H32],
  eth_getTransactionReceipt: [$H32],
  eth_getTransactionByBlockHashAndIndex: [$H32, '0x0'],
  eth_getLogs: [{ fromBlock: '0x1', toBlock: 'latest', address: [$X], topics: [$H32, null, [$H32]] }],
  eth_newFilter: [{ address: $X, topics: [] }],
  eth_getFilterChanges: ['0x1'],
  eth_subscribe: ['logs', { address: $X, topics: [[$H32]] }],
  eth_unsubscribe: ['0x1'],
  eth_sendTransaction: [{ from: $A0, to: $X, value: '0x1', data: '0x', gasPrice: '0x387ee40', nonce: '0x0' }],
  eth_signTransaction: [{ from: $A0, to: $X, value: '0x1', maxFeePerGas: '0x387ee40', type: '0x2' }],
  eth_sendRawTransaction: [rawOk],
  personal_sign: ['0x68656c6c6f', $A0],
  eth_sign: [$A0, '0x68656c6c6f'],
  personal_ecRecover: ['0x68', `0x${'11'.repeat(64)}1b`],
  eth_signTypedData: [[{ type: 'string', name: 'm', value: 'x' }], $A0],
  eth_signTypedData_v1: [[{ type: 'uint8[]', name: 'm', value: [1] }], $A0],
  eth_signTypedData_v3: [$A0, typedData()],
  eth_signTypedData_v4: [$A0, typedData({ 'domain.chainId': '0x1f' })],
  wallet_connect: [
    { version: '1', capabilities: { signInWithEthereum: { nonce: 'c0ffee123', chainId: '0x1f' } } },
  ],
  wallet_disconnect: [],
  wallet_requestPermissions: [{ eth_accounts: {} }],
  wallet_revokePermissions: [{ eth_accounts: {} }],
  wallet_requestExecutionPermissions: [
    {
      chainId: '0x1f',
      to: $A0,
      permission: {
        type: 'native-token-periodic',
        isAdjustmentAllowed: true,
        data: { periodAmount: '0x5', periodDuration: 86_400, justification: 'x' },
      },
      rules: [
        { type: 'expiry', data: { timestamp: 4_102_444_800 } },
        { type: 'payee', data: { addresses: [$X] } },
      ],
    },
  ],
  wallet_revokeExecutionPermission: [{ permissionContext: $H32 }],
  wallet_switchEthereumChain: [{ chainId: '0x1f' }],
  wallet_addEthereumChain: [
    {
      chainId: '0x21',
      chainName: 'Regtest',
      nativeCurrency: { name: 'R', symbol: 'R', decimals: 18 },
      rpcUrls: ['http://127.0.0.1:1/'],
    },
  ],
  wallet_watchAsset: [{ type: 'ERC20', options: { address: $X, symbol: 'T', decimals: 18 } }],
  web3_sha3: ['0x68'],
  trace_filter: [{ fromBlock: '0x1' }],
};
