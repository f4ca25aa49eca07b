import type { TokenLabel } from '../approvals/decode-call.js';
import type { DescribedContractCall, ExplainedField } from '../approvals/question.js';
import { readLabels } from '../approvals/token-label.js';
import { own } from '../rpc/own.js';
import { membersOf } from '../rpc/own-data.js';
import type { Address } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import type { Service } from '../service/service.js';
import { tokenOf } from './recipient.js';

/**
 * A described call with what the tokens of its fields report about themselves. It leaves out what the page says of them, and an
 * explanation of another shape.
 */
export async function withExplainedLabels(
  service: Service,
  described: DescribedContractCall,
): Promise<DescribedContractCall> {
  const { explained, ...rest } = own(described);
  const { fields, unexplained } = membersOf(explained);
  if (!explained || !Array.isArray(fields) || !Array.isArray(unexplained)) return own(rest);
  const tokens = explained.fields.flatMap((field) => tokenOf(field)?.address ?? []);
  const labels =
    tokens.length === 0 ? new Map<Address, TokenLabel>() : await readLabels(service, tokens, undefined);
  const withLabel = (field: ExplainedField): ExplainedField => {
    const { address } = own(tokenOf(field));
    if (address === undefined) return field;
    const token = labels.get(address) ?? own({ address });
    if (field.kind !== 'tokens') return own({ ...field, token } as ExplainedField);
    const unlimited = isUnlimited(BigInt(field.amount)) ? (true as const) : undefined;
    return own({ ...field, token, unlimited });
  };
  return own({ ...rest, explained: own({ ...explained, fields: explained.fields.map(withLabel) }) });
}
