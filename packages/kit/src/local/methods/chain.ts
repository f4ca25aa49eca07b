import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, toQuantity } from '../../../../../src/rpc/hex.js';
import { type Methods, takes } from '../context.js';
import type { Switches } from '../dialect.js';
import { invalidParam } from '../failure.js';
import { readBytes, readText } from '../params.js';

const peersOf = ({ nodeFields }: Switches): readonly string[] =>
  nodeFields ? [] : ['a3f1c07b | 127.0.0.1:5050', '7be2d944 | 127.0.0.1:5051'];

/** Methods about the node and the network. */
export const chainMethods: Methods = {
  web3_clientVersion: takes(0, () => 'RskJ/9.1.0/Linux/Java17/SNAPSHOT-dev'),
  web3_sha3: takes(1, ([value]) => {
    if (!/^0x[0-9a-fA-F]+$/.test(readText(value) ?? ''))
      throw invalidParam("Parameter must be hexadecimal encoded with the '0x' prefix.");
    return bytesToHex(keccak_256(hexToBytes(readBytes(value))));
  }),
  net_version: takes(0, (_, { chainId }) => String(chainId)),
  net_listening: takes(0, () => true),
  /** A development node has no peers. */
  net_peerCount: takes(0, (_, { switches }) => toQuantity(peersOf(switches).length)),
  net_peerList: takes(0, (_, { switches }) => peersOf(switches)),
  eth_chainId: takes(0, (_, { chainId }) => toQuantity(chainId)),
  eth_protocolVersion: takes(0, () => '0x3e'),
  eth_syncing: takes(0, (_, { syncing }) => syncing()),
  /** The zero address where the node does not mine. */
  eth_coinbase: takes(0, (_, { switches, miner }) => (switches.nodeFields ? miner : `0x${'0'.repeat(40)}`)),
  eth_mining: takes(0, () => false),
  eth_hashrate: takes(0, () => '0x0'),
  /** 110 % of the head's minimum gas price (docs/notes/node.md#one-price). */
  eth_gasPrice: takes(0, (_, { minimumGasPrice }) => toQuantity((minimumGasPrice() * 11n) / 10n)),
  eth_accounts: takes(0, () => []),
  eth_blockNumber: takes(0, (_, { chain }) => toQuantity(chain.head())),
};
