import { isEncodedHash } from '../approvals/describe/text.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import type { Address } from '../rpc/schema.js';
import { amountNames, holderNames, isForeign, isTimeField, scopeNames } from './field-names.js';
import { splitPath, uint } from './structs.js';

/** Type strings of forms that give nothing away: votes of OpenZeppelin and Snapshot, and cancellations of EIP-3009. */
const harmlessForms =
  /^(?:Ballot\(uint256 proposalId,uint8 support(?:,address voter,uint256 nonce)?\)|CancelAuthorization\(address authorizer,bytes32 nonce\)|(?:Follow|Unfollow)\(address from,(?:string network,)?string space,uint64 timestamp\)|Vote\(address from,string space,uint64 timestamp,(?:bytes32|string) proposal,(?:uint32(?:\[\])?|string) choice(?:,string reason,string app,string metadata)?\))$/;
const signInForms = /^(?:log|sign)-?_?in$|^authentication$/i;

/** Whether the form is a known one that gives nothing, or a sign-in of words, the signer, times and a small number. */
export function isHarmless({ primaryType, types, fields }: TypedData, signer: Address): boolean {
  const declared = Object.hasOwn(types, primaryType) ? types[primaryType] : [];
  if (harmlessForms.test(`${primaryType}(${declared?.map(({ type, name }) => `${type} ${name}`)})`))
    return true;
  return (
    signInForms.test(primaryType) &&
    fields.every((field) => {
      const { path, type, value } = field;
      if (value.toLowerCase() === signer) return true;
      const { name } = splitPath(path);
      if ([holderNames, scopeNames, amountNames].some((names) => names.test(name))) return false;
      if (type === 'string')
        return (
          !isEncodedHash(value) &&
          (!isForeign(value, signer) || (/^(?:nonce|requestId|challenge)$/.test(name) && value.length < 33))
        );
      return uint.test(type) && value.length < 14 && (path === 'nonce' || isTimeField(field));
    })
  );
}
