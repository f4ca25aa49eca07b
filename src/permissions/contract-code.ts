import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import { keccak256 } from '../rpc/keccak.js';
import { checkCode } from '../rpc/results.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';

/** Where a proxy keeps the contract whose code it runs, and where it keeps its beacon (ERC-1967). */
const proxySlots: readonly Hash[] = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
];

/**
 * A digest of the code of a contract and of what it forwards to, as far as ERC-1967 says it. Only the code of the proxy itself counts in other forms.
 * @throws ProviderRpcError as the service's request
 */
export async function codeDigestOf(service: Service, address: Address): Promise<Hash> {
  const [code, ...slots] = await Promise.all([
    service.request('eth_getCode', [address, 'latest'], { check: checkCode }) as Promise<Hex | null>,
    ...proxySlots.map(
      (slot) => service.request('eth_getStorageAt', [address, slot, 'latest']) as Promise<Hex>,
    ),
  ]);
  const text = [
    code ?? '0x',
    ...slots.map((value) =>
      BigInt(value || '0x0')
        .toString(16)
        .padStart(64, '0'),
    ),
  ].join('');
  return bytesToHex(keccak256(hexToBytes(`0x${text.slice(2)}`))) as Hash;
}
