import { tokensOfCalls, withCallLabels } from '../approvals/call-tokens.js';
import { typedDataWarnings } from '../approvals/describe/typed-data.js';
import type { TypedDataQuestion } from '../approvals/question.js';
import type { Labels } from '../approvals/token-label.js';
import { lazy } from '../async/lazy.js';
import { readPermit } from '../keyring/typed-data/permit.js';
import type { TypedData } from '../keyring/typed-data/typed-data.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import { own } from '../rpc/own.js';
import { type Address, isLowerAddress } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { receiversIn } from '../transactions/recipient.js';
import type { SignedCalls } from './calls.js';
import { tokensOf, withLabels, withPermitLabel } from './labels.js';
import { amountTokens, withReadings } from './readings.js';
import { readRight } from './rights.js';
import { bytes } from './structs.js';

/** The parts of a question that say what typed data means. */
export type DescribedTypedData = Pick<
  TypedDataQuestion,
  'domain' | 'primaryType' | 'fields' | 'permit' | 'right' | 'calls' | 'warnings'
>;

/**
 * Reads the permit or right in typed data, its calls and its fields, with the labels of their tokens. A chunk of its own, which
 * loads with the first typed data.
 */
export async function describeTypedData(
  read: TypedData,
  { account, network, origin, ownAddresses, service }: Requester,
): Promise<DescribedTypedData> {
  const { domain, primaryType, version } = read;
  const { signed, isTruncated } = await callsOf(read);
  const trees = [...signed.made.map(({ tree }) => tree), ...signed.found];
  const foundPermit = readPermit(read);
  const foundRight = foundPermit === null ? readRight(read, account.address, signed) : null;
  const contract = (domain.verifyingContract ?? null) as Address | null;
  const amounts = amountTokens(read.fields, contract);
  const tokens = [...tokensOf(foundPermit, foundRight), ...tokensOfCalls(trees), ...amounts.values()];
  const isAllowance = foundPermit !== null || trees.length > 0;
  const labels = await labelsOf(service, tokens, isAllowance ? account.address : undefined);
  const permit = withPermitLabel(foundPermit, labels);
  const right = withLabels(foundRight, labels);
  const fields = withReadings(read.fields, amounts, labels);
  const calls = withCallLabels(trees, labels);
  const warnings = typedDataWarnings({
    ...{ version, domain, permit, right, calls, fields, origin },
    chainId: network.chainId,
    isTruncated,
    ownContract: contract !== null && ownAddresses.includes(contract),
  });
  return {
    domain,
    primaryType,
    fields,
    permit,
    right,
    calls: calls.length > 0 ? calls : undefined,
    warnings,
  };
}

const callParts = lazy(() =>
  Promise.all([import('../approvals/read-calls.js'), import('./calls.js')]).catch(throwNotLoaded),
);
const labelParts = lazy(() => import('../approvals/token-label.js').catch(throwNotLoaded));

/** Reads the calls of typed data. The code for that loads only where there are `bytes`. */
async function callsOf(
  read: TypedData,
): Promise<{ readonly signed: SignedCalls; readonly isTruncated: boolean }> {
  if (!read.fields.some(({ type }) => bytes.test(type)))
    return { signed: { made: [], found: [], hasUnread: false }, isTruncated: false };
  const [{ createCallReader }, { readSignedCalls }] = await callParts();
  const reader = createCallReader();
  return { signed: readSignedCalls(read, reader), isTruncated: reader.isExhausted() };
}

/** Reads the labels of tokens. The code for that loads only where there are tokens. */
async function labelsOf(
  service: Service,
  tokens: readonly Address[],
  owner: Address | undefined,
): Promise<Labels> {
  if (tokens.length === 0) return new Map();
  const { readLabels } = await labelParts();
  return readLabels(service, tokens, owner);
}

/** Everybody who gets something by a permit, a right or a call of typed data. */
export function partiesOf({ permit, right, calls = [] }: DescribedTypedData): readonly Address[] {
  const { to, spender, operator, holders = [] } = own(right ?? {}) as Partial<Parties>;
  const named = [permit?.spender, to, spender, operator, ...holders.map(({ address }) => address)];
  return [...new Set([...named, ...calls.flatMap(receiversIn)])].filter((address) => isLowerAddress(address));
}

/** The members of a right that say who has it. */
interface Parties {
  readonly to: Address | null;
  readonly spender: Address;
  readonly operator: Address;
  readonly holders: readonly { readonly address: Address }[];
}
