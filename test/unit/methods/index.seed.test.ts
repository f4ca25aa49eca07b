import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { accessOf, knownMethods, unsupported } from '../../support/known-methods.js';

/**
 * The method table against the service's own description: every method that the seed names anywhere is in the
 * table, and is there as what the seed says of it.
 */
const seed = readFileSync(new URL('../../../docs/notes/service.md', import.meta.url), 'utf8');

const section = (heading: string): string => {
  const start = seed.indexOf(heading);
  if (start < 0) throw new Error(`the seed has no "${heading}"`);
  const rest = seed.slice(start + heading.length);
  const end = rest.search(/\n#{2,3} /);
  return end < 0 ? rest : rest.slice(0, end);
};
const named = (text: string): string[] =>
  [...text.matchAll(/`((?:[a-z0-9]+|<chain>)_[A-Za-z0-9]+)`/g)].map(([, name]) =>
    (name as string).replace('<chain>', 'rsk'),
  );
const rows = (heading: string): string[] =>
  [...section(heading).matchAll(/^\| ([a-z0-9]+_[A-Za-z0-9]+) \|/gm)].map(([, name]) => name as string);
const paragraph = (start: string): string => {
  const text = section('### Support list');
  const at = text.indexOf(start);
  if (at < 0) throw new Error(`the support list has no "${start}"`);
  return text.slice(at, text.indexOf('\n', at));
};

const full = rows('### Methods with full parameter and result shape');
const undecided = rows('### Methods described with parameters but without support status');
const supported = named(paragraph('Supported (YES)'));
const byName = named(paragraph('Supported, listed by name only'));
const notSupported = named(paragraph('Not supported')).filter((name) => !name.endsWith('_'));

describe('the seed’s lists were read', () => {
  test('the numbers of methods in each list are these', () => {
    expect({
      full: full.length,
      undecided: undecided.length,
      supported: supported.length,
      byName: byName.length,
      unsupported: notSupported.length,
    }).toMatchInlineSnapshot(`
      {
        "byName": 40,
        "full": 44,
        "supported": 39,
        "undecided": 4,
        "unsupported": 18,
      }
    `);
  });
});

describe('every method that the seed names is in the table', () => {
  test.each([...new Set([...full, ...undecided, ...supported, ...byName, ...notSupported, ...named(seed)])])(
    '%s',
    (name) => {
      expect(knownMethods).toContain(name);
    },
  );
});

describe('a method that the seed supports in full is not refused', () => {
  test.each([...new Set([...full, ...supported])])('%s', (name) => {
    expect(accessOf(name)).not.toBe('refused');
  });
});

describe('a method that the seed does not support is refused, with the reason', () => {
  test.each(notSupported)('%s', (name) => {
    expect(accessOf(name)).toBe('refused');
    expect(unsupported.get(name)?.reason).toMatch(/\w+ .*\.$/);
  });
});

/** Named without params or results, and refused on purpose: each carries a secret or changes a node. */
const refusedByPolicy = byName.filter((name) => accessOf(name) === 'refused');

test('the reads among the methods listed by name only are forwarded, and these are refused', () => {
  expect(refusedByPolicy).toMatchInlineSnapshot(`
    [
      "evm_increaseTime",
      "evm_mine",
      "evm_reset",
      "evm_revert",
      "evm_snapshot",
      "evm_startMining",
      "evm_stopMining",
      "mnr_submitBitcoinBlock",
      "mnr_submitBitcoinBlockTransactions",
      "mnr_submitBitcoinBlockPartialMerkle",
      "mnr_getWork",
      "personal_dumpRawKey",
      "personal_importRawKey",
      "personal_listAccounts",
      "personal_lockAccount",
      "personal_newAccountWithSeed",
      "personal_newAccount",
      "personal_sendTransaction",
      "personal_unlockAccount",
      "sco_banAddress",
      "sco_unbanAddress",
      "sco_peerList",
      "sco_bannedAddresses",
      "sco_reputationSummary",
    ]
  `);
});

/** Beside the seed: what EIPs and dapps ask of a wallet. */
test('methods that the table has beyond the service’s description', () => {
  const inSeed = new Set(named(seed).concat(full, undecided));
  expect(knownMethods.filter((name) => !inSeed.has(name)).sort()).toMatchInlineSnapshot(`
    [
      "eth_blobBaseFee",
      "eth_callMany",
      "eth_createAccessList",
      "eth_decrypt",
      "eth_feeHistory",
      "eth_fillTransaction",
      "eth_getBlockReceipts",
      "eth_getEncryptionPublicKey",
      "eth_getRawTransactionByBlockHashAndIndex",
      "eth_getRawTransactionByBlockNumberAndIndex",
      "eth_getRawTransactionByHash",
      "eth_getStorageValues",
      "eth_getTransactionBySenderAndNonce",
      "eth_maxPriorityFeePerGas",
      "eth_requestAccounts",
      "eth_selectAccounts",
      "eth_sendRawTransactionSync",
      "eth_sendTransactionSync",
      "eth_signTransaction",
      "eth_signTypedData",
      "eth_signTypedData_v1",
      "eth_signTypedData_v3",
      "eth_signTypedData_v4",
      "eth_simulateV1",
      "eth_subscribe",
      "eth_unsubscribe",
      "graft_verify",
      "personal_ecRecover",
      "personal_sign",
      "wallet_addEthereumChain",
      "wallet_addSubAccount",
      "wallet_connect",
      "wallet_disconnect",
      "wallet_getAssets",
      "wallet_getCallsStatus",
      "wallet_getCapabilities",
      "wallet_getGrantedExecutionPermissions",
      "wallet_getPermissions",
      "wallet_getSupportedExecutionPermissions",
      "wallet_grantPermissions",
      "wallet_requestExecutionPermissions",
      "wallet_requestPermissions",
      "wallet_revokeExecutionPermission",
      "wallet_revokePermissions",
      "wallet_sendCalls",
      "wallet_sendTransaction",
      "wallet_showCallsStatus",
      "wallet_switchEthereumChain",
      "wallet_watchAsset",
    ]
  `);
});
