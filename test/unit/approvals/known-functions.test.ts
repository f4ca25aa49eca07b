import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { parseAbiItem, toFunctionSelector } from 'viem';
import { describe, expect, test } from 'vitest';
import { knownFunctions } from '../../../src/approvals/known-functions.js';
import { bySelector } from '../../../src/rpc/abi-selectors.js';

const all = Object.entries(knownFunctions).flatMap(([effect, list]) =>
  list.map((signature) => [signature, effect] as const),
);

describe('the table of known functions', () => {
  test.each(all)('the selector of %s is the keccak-256 of its signature', (signature) => {
    const [selector] = bySelector([signature]).keys();
    expect(selector).toBe(toFunctionSelector(parseAbiItem(`function ${signature}`) as never));
  });

  test('no selector is listed twice', () => {
    const selectors = all.map(([signature]) => [...bySelector([signature]).keys()][0]);
    expect(selectors.filter((each, i) => selectors.indexOf(each) !== i)).toEqual([]);
  });

  test.each([
    // The published selectors of the most common ones, so that a misspelt signature does not pass unseen.
    ['transfer(address,uint256)', 'a9059cbb'],
    ['approve(address,uint256)', '095ea7b3'],
    ['transferAndCall(address,uint256,bytes)', '4000aea0'],
    ['send(address,uint256,bytes)', '9bd9bbc6'],
    ['operatorSend(address,address,uint256,bytes,bytes)', '62ad1b83'],
    ['authorizeOperator(address)', '959b8c3f'],
    ['permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', 'd505accf'],
    ['permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', '8fcbaf0c'],
    [
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      '6a761202',
    ],
    ['multiSend(bytes)', '8d80ff0a'],
    ['multicall(bytes[])', 'ac9650d8'],
    ['multicall(uint256,bytes[])', '5ae401dc'],
    ['aggregate((address,bytes)[])', '252dba42'],
    ['aggregate3((address,bool,bytes)[])', '82ad56cb'],
    ['aggregate3Value((address,bool,uint256,bytes)[])', '174dea71'],
    ['tryAggregate(bool,(address,bytes)[])', 'bce38bd7'],
    ['upgradeTo(address)', '3659cfe6'],
    ['upgradeToAndCall(address,bytes)', '4f1ef286'],
    ['transferOwnership(address)', 'f2fde38b'],
    ['renounceOwnership()', '715018a6'],
    ['grantRole(bytes32,address)', '2f2ff15d'],
    ['setApprovalForAll(address,bool)', 'a22cb465'],
    ['safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', '2eb2c2d6'],
    ['deposit()', 'd0e30db0'],
    ['withdraw(uint256)', '2e1a7d4d'],
    ['execute(address,uint256,bytes)', 'b61d27f6'],
    ['executeBatch(address[],bytes[])', '18dfb3c7'],
    ['executeBatch(address[],uint256[],bytes[])', '47e1da2a'],
    ['execute(bytes32,bytes)', 'e9ae5c53'],
    ['addOwnerWithThreshold(address,uint256)', '0d582f13'],
    ['enableModule(address)', '610b5925'],
    ['setGuard(address)', 'e19a9dd9'],
    ['delegate(address)', '5c19a95c'],
    ['burn(uint256)', '42966c68'],
    ['burnFrom(address,uint256)', '79cc6790'],
  ])('%s has the selector that is published for it', (signature, selector) => {
    expect(bytesToHex(keccak_256(utf8ToBytes(signature)).subarray(0, 4))).toBe(selector);
    const listed = all.map(([each]) => [...bySelector([each]).keys()][0]);
    expect(listed).toContain(`0x${selector}`);
  });
});
