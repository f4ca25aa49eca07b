import type { Address, Hex } from '../../rpc/schema.js';
import { tokenSelectors } from '../../rpc/token-calls.js';
import type { Service } from '../../service/service.js';

/** Most tokens that are asked about: with five addresses, less gas than a node gives to `eth_call`. */
const maxTokens = 16;

/**
 * Which of the addresses hold coins or one of the tokens. It takes one request, whatever their number: an `eth_call`
 * without a recipient runs code that asks the tokens, and returns a byte for each address
 * (docs/notes/node.md#calls-without-a-recipient).
 *
 * @param addresses at most 100
 * @param tokens contracts with `balanceOf(address)`; those after the sixteenth are left out
 * @returns `null` where the service does not run such code
 * @throws the service's own error
 */
export async function readHolders(
  service: Service,
  addresses: readonly Address[],
  tokens: readonly Address[],
  options: Service.RequestOptions,
): Promise<readonly boolean[] | null> {
  const data = holdersCode(addresses, tokens.slice(0, maxTokens));
  const result = await service.request('eth_call', [{ data }, 'latest'], options);
  const isExpected =
    typeof result === 'string' && /^0x(?:0[01])*$/.test(result) && result.length === 2 + 2 * addresses.length;
  return isExpected ? addresses.map((_, at) => result[3 + 2 * at] === '1') : null;
}

/**
 * Creation code that returns, for each address, 1 if it has coins or one of the tokens, else 0. Memory: at 0x00 the call
 * `balanceOf(address)`, at 0x40 what a token answers, from 0x60 on the result.
 */
function holdersCode(addresses: readonly Address[], tokens: readonly Address[]): Hex {
  const digits = (address: Address) => address.slice(2);
  const byte = (value: number) => value.toString(16).padStart(2, '0');
  const askToken = (token: Address) => [
    '6000604052', // mstore(0x40, 0): without an answer there is no balance
    `6020604060246000${`73${digits(token)}`}620186a0fa`, // staticcall(100000, token, 0x00, 0x24, 0x40, 0x20)
    '6040510217', // or(·, mul(·, mload(0x40))): what counts is the answer of a call that succeeded
  ];
  return `0x${[
    `7f${tokenSelectors.balanceOf.slice(2)}${'0'.repeat(56)}600052`, // mstore(0x00, selector)
    ...addresses.flatMap((address, at) => [
      `73${digits(address)}80600452`, // mstore(0x04, address), which stays on the stack
      '31', // balance(·)
      ...tokens.flatMap(askToken),
      `151560${byte(0x60 + at)}53`, // mstore8(0x60 + at, iszero(iszero(·)))
    ]),
    `60${byte(addresses.length)}6060f3`, // return(0x60, length)
  ].join('')}`;
}
