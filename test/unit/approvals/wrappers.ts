import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  padHex,
  parseAbi,
  parseAbiParameters,
  size,
} from 'viem';
import type { Hex } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';

/** Calls that are a danger by themselves, and the wrappers that carry out other calls, encoded by viem. */

export const attacker = '0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e';
export const someToken = '0x7070707070707070707070707070707070707070';
export const someContract = '0x3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d';
const word = `0x${'12'.repeat(32)}` as const;
const maximum = 2n ** 256n - 1n;

const functions = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function authorizeOperator(address operator)',
  'function transferOwnership(address owner)',
  'function upgradeTo(address implementation)',
  'function grantRole(bytes32 role, address account)',
  'function addOwnerWithThreshold(address owner, uint256 threshold)',
  'function enableModule(address module)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function multicall(bytes[] data)',
  'function aggregate((address target, bytes callData)[] calls)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function multiSend(bytes transactions)',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(address[] targets, bytes[] datas)',
  'function execute(bytes32 mode, bytes execution)',
  'function directExecute(address to, bytes data)',
  'function transferAndCall(address to, uint256 amount, bytes data)',
  'function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'function propose(address[] targets, uint256[] values, bytes[] calldatas, string description)',
]);
const wide = parseAbi([
  'function multicall(uint256 deadline, bytes[] data)',
  'function executeBatch(address[] targets, uint256[] values, bytes[] datas)',
]);
const tuples = parseAbi([
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function unknownWrapper(uint256 a, bytes payload, address b)',
  'function anotherWrapper((address target, uint256 value, bytes data)[] calls, bytes32 salt)',
]);
const encode = (functionName: string, args: readonly unknown[], abi: unknown = functions): Hex =>
  encodeFunctionData({ abi, functionName, args } as never);

/** Calls that move value without an end or change who is in control, by the name of their function. */
export const dangerousCalls: Readonly<Record<string, Hex>> = {
  approve: encode('approve', [attacker, maximum]),
  increaseAllowance: encode('increaseAllowance', [attacker, maximum]),
  setApprovalForAll: encode('setApprovalForAll', [attacker, true]),
  authorizeOperator: encode('authorizeOperator', [attacker]),
  transferOwnership: encode('transferOwnership', [attacker]),
  upgradeTo: encode('upgradeTo', [attacker]),
  grantRole: encode('grantRole', [word, attacker]),
  addOwnerWithThreshold: encode('addOwnerWithThreshold', [attacker, 1n]),
  enableModule: encode('enableModule', [attacker]),
};

const packed = (to: Hex, data: Hex, operation = 0) =>
  encodePacked(
    ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
    [operation, to, 0n, BigInt(size(data)), data],
  );
const harmless = encode('transferFrom', [someContract, someContract, 0n]);

/** Functions that carry out the call that they are given, each as the contract takes it. */
export const wrappers: Readonly<Record<string, (data: Hex) => Hex>> = {
  'multicall(bytes[])': (data) => encode('multicall', [[harmless, data]]),
  'multicall(uint256,bytes[])': (data) => encode('multicall', [1n, [data]], wide),
  aggregate: (data) => encode('aggregate', [[{ target: someToken, callData: data }]]),
  tryAggregate: (data) => encode('tryAggregate', [true, [{ target: someToken, callData: data }]]),
  aggregate3: (data) => encode('aggregate3', [[{ target: someToken, allowFailure: true, callData: data }]]),
  aggregate3Value: (data) =>
    encode('aggregate3Value', [[{ target: someToken, allowFailure: true, value: 0n, callData: data }]]),
  execTransaction: (data) =>
    encode('execTransaction', [
      ...[someToken, 0n, data, 0, 0n, 0n, 0n, someContract, someContract],
      '0x1234',
    ]),
  multiSend: (data) =>
    encode('multiSend', [concatHex([packed(someContract, harmless), packed(someToken, data)])]),
  'execute(address,uint256,bytes)': (data) => encode('execute', [someToken, 0n, data]),
  'executeBatch(address[],bytes[])': (data) => encode('executeBatch', [[someToken], [data]]),
  'executeBatch(address[],uint256[],bytes[])': (data) =>
    encode('executeBatch', [[someToken, someContract], [], [data, harmless]], wide),
  'executeBatch((address,uint256,bytes)[])': (data) =>
    encode('executeBatch', [[{ target: someToken, value: 0n, data }]], tuples),
  'execute(bytes32,bytes), one call': (data) =>
    encode('execute', [
      padHex('0x00', { size: 32 }),
      concatHex([someToken, padHex('0x00', { size: 32 }), data]),
    ]),
  'execute(bytes32,bytes), a batch': (data) =>
    encode('execute', [
      padHex('0x01', { size: 32, dir: 'right' }),
      encodeAbiParameters(parseAbiParameters('(address,uint256,bytes)[]'), [[[someToken, 0n, data]]]),
    ]),
  directExecute: (data) => encode('directExecute', [someToken, data]),
  schedule: (data) => encode('schedule', [someToken, 0n, data, word, word, 1n]),
  propose: (data) => encode('propose', [[someToken], [0n], [data], 'A proposal']),
  'the data of transferAndCall': (data) => encode('transferAndCall', [someContract, 1n, data]),
  'an unknown function with bytes': (data) => encode('unknownWrapper', [7n, data, someContract], tuples),
  'an unknown function with calls': (data) =>
    encode('anotherWrapper', [[{ target: someToken, value: 0n, data }], word], tuples),
  'an unknown function with packed calls': (data) =>
    concatHex(['0x0badc0de', '0x05', someToken, data, '0xffff']),
};

/** A dangerous call inside some wrappers, the outermost last. */
export const nested = (depth: { readonly min: number; readonly max: number }) =>
  fc
    .record({
      method: fc.constantFrom(...Object.keys(dangerousCalls)),
      path: fc.array(fc.constantFrom(...Object.keys(wrappers)), {
        minLength: depth.min,
        maxLength: depth.max,
      }),
    })
    .map(({ method, path }) => ({
      method,
      path,
      data: path.reduce<Hex>((data, name) => wrappers[name]?.(data) as Hex, dangerousCalls[method] as Hex),
    }));
