import { isDataField, isHash, isObject, isQuantity, must } from './results.js';
import { isAddress } from './schema.js';

/** Checks the fields of an account proof (`eth_getProof`). */
export const checkProof = (result: unknown): void => {
  must(isObject(result) && isHash(result.storageHash), 'not an account proof');
  const { address, balance, nonce, codeHash, accountProof, storageProof } = result as Record<string, unknown>;
  for (const quantity of [balance, nonce]) must(isQuantity(quantity ?? '0x0'), 'a count is not a QUANTITY');
  must((address ?? null) === null || isAddress(address), 'address is not an address');
  must((codeHash ?? null) === null || isHash(codeHash), 'codeHash is not DATA of 32 bytes');
  checkNodes(accountProof ?? []);
  must(Array.isArray(storageProof ?? []), 'storageProof is not an array');
  for (const each of (storageProof ?? []) as readonly Partial<Record<string, unknown>>[]) {
    must(
      isObject(each) && isQuantity(each.key) && isQuantity(each.value),
      'storageProof has no key and value',
    );
    checkNodes(each.proof);
  }
};

const checkNodes = (nodes: unknown) =>
  must(Array.isArray(nodes) && nodes.every(isDataField), 'a proof is not an array of DATA');
