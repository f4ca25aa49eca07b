import type { TypedDataField } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';
import { splitPath, uint } from './structs.js';

/** The names by which fields of typed data say what they are. */

export const holderNames =
  /^_*(?:spender|operator|delegat(?:e|ee|or)|grantee|agent(?:Address)?|relayer|executor|solver|filler|authori[sz]ed(?:Signer)?|to|target|recipient|receiver|beneficiary|payee|taker|heir|alias|hook|minter|proxy|guard|fallbackHandler|session(?:key|signer)?|(?:new|next|pending)?_?(?:owner|admin|guardian|signer|controller|manager|governor|implementation|module|validator|recovery\w*|delegate|operator|key))s?(?:\[\d+\])*$/i;
export const keyNames =
  /(?:^|session|agent|delegate|signer|signing|public|pub|access|new)_?keys?(?:\[\d+\])*$/i;
export const scopeNames = /key|scope|permission/i;
export const amountNames = /amount|value|price|allowance|limit|wad|quantity|shares/i;
/** Names of amounts that are shown in units of a token, which is beside them. */
export const tokenAmountNames = /amount|value|allowance|wad/i;
export const tokenNames = /token|asset|currency/i;
/** Names that have those of amounts in them, and bound nothing that is given. */
export const boundless = /min|gas|price|fee|nonce/i;

/**
 * Whether a text names a key or an account other than the signer's: a DID, or as many letters and digits in a row as
 * addresses of other chains have.
 */
export const isForeign = (text: string, signer: Address): boolean =>
  /\bdid:|(?=[a-z]*\d)[a-z\d]{26}/i.test(
    text
      .toLowerCase()
      .replaceAll(signer, '')
      .replace(/did:pkh:eip155:\d+:(?!\w)/g, ''),
  );

const timeNames =
  /deadline|expir|valid(?:to|until|before|after|from)|(?:start|end|open|close)(?:time|date|at)|timestamp|issuedat|not(?:before|after)|^(?:from|until)$/i;

/** Whether the field has the name of a time, whatever its value. */
export const isTimeField = (field: TypedDataField): boolean =>
  uint.test(field.type) && timeNames.test(splitPath(field.path).name.replaceAll('_', ''));

const endNames =
  /expir|deadline|valid(?:to|until|before)|notafter|until$|^(?:end|close)s?(?:time|date|at|timestamp)?$/i;

/** Whether the field has the name of the end of a right; that of a signature ends none. */
export function isEndField(field: TypedDataField): boolean {
  const name = splitPath(field.path).name.replaceAll('_', '');
  return uint.test(field.type) && endNames.test(name) && !/^sig/i.test(name);
}
