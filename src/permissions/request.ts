import { knownEffect } from '../approvals/read-calls.js';
import { bySelector } from '../rpc/abi-selectors.js';
import { readSignatures } from '../rpc/abi-signatures.js';
import { excerpt } from '../rpc/core-errors.js';
import { invalidParams } from '../rpc/errors.js';
import { bridge, hasBridge, knownContracts, knownToken } from '../rpc/known-contracts.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import {
  address,
  boolean,
  chainId,
  data,
  quantity,
  type Reader,
  record,
  refuse,
  text,
} from '../rpc/params.js';
import {
  type PermissionTerms,
  type PermissionType,
  type PermittedContract,
  periodsIn,
  permissionTypes,
} from '../rpc/permission-terms.js';
import type { Address, Hex } from '../rpc/schema.js';
import { kindOf } from './grant.js';

/** A requested permission (ERC-7715, as of January 2026), validated. */
export interface PermissionRequest {
  readonly chainId: number;
  /** The account that pays; absent for the selected one. */
  readonly from: Address | undefined;
  /** The account that acts: only the one that pays can. */
  readonly to: Address;
  readonly terms: PermissionTerms;
  /** Whether the person may lower amount and end. */
  readonly isAdjustable: boolean;
  readonly justification: string | undefined;
  /** `permission.data` as the site wrote it. */
  readonly data: Readonly<Record<string, Json>>;
}

/** Permissions in one request. */
const maxRequested = 4;
/** Seconds. */
const minPeriod = 3_600;
/** Seconds from now on: 90 days. */
const maxTerm = 7_776_000;
const maxPeriods = 1_000;
const maxRules = 8;
const maxPayees = 64;
const maxContracts = 16;
const maxSelectors = 32;
/** Characters. */
const maxJustification = 500;
/** wei for the fees of one period of a token, where the site names none: some hundred transfers. */
const usualFees: Hex = '0x5af3107a4000';

/**
 * Reads the params of `wallet_requestExecutionPermissions`. A term or an amount over the wallet's limits is lowered to them
 * where the request allows adjustments.
 *
 * @param now milliseconds since 1970
 * @throws ProviderRpcError -32602 naming the value
 */
export function readPermissionRequests(params: Json, now: number): readonly PermissionRequest[] {
  if (!Array.isArray(params) || params.length === 0)
    throw invalidParams('params: expected an array of at least one permission');
  if (params.length > maxRequested)
    throw invalidParams(`params: at most ${maxRequested} permissions, received ${params.length}`);
  const read = params.map((each: Json, at) => readRequest(each, `params[${at}]`, Math.floor(now / 1_000)));
  const [first] = read as [PermissionRequest];
  for (const [at, { chainId: id, from, to, terms }] of read.entries()) {
    if (id !== first.chainId) throw invalidParams(`params[${at}].chainId: expected the same as in params[0]`);
    if (to !== first.to || from !== first.from)
      throw invalidParams(`params[${at}].to: expected the same account as in params[0]`);
    if (read.findIndex((each) => kindOf(each.terms) === kindOf(terms)) < at)
      throw invalidParams(`params[${at}].permission: one permission of a kind and token in a request`);
  }
  return read;
}

function readRequest(value: Json, path: string, now: number): PermissionRequest {
  const fields = record(value, path, ['chainId', 'from', 'to', 'permission', 'rules']);
  const chain = chainId(fields.chainId ?? null, `${path}.chainId`);
  const from =
    fields.from === undefined || fields.from === null ? undefined : address(fields.from, `${path}.from`);
  const to = address(fields.to ?? null, `${path}.to`);
  const at = `${path}.permission`;
  const permission = record(fields.permission ?? null, at, ['type', 'isAdjustmentAllowed', 'data']);
  const isAdjustable = boolean(permission.isAdjustmentAllowed ?? null, `${at}.isAdjustmentAllowed`);
  const type = readType(permission.type ?? null, `${at}.type`);
  const rules = readRules(fields.rules ?? null, `${path}.rules`);
  const { justification, ...terms } = readTerms[type](permission.data ?? null, `${at}.data`, chain);
  const start = Math.max(terms.start ?? now, now);
  const limited = withinLimits({ type, ...terms, start, end: rules.end, payees: rules.payees }, now);
  if (limited.end !== rules.end && !isAdjustable)
    throw invalidParams(
      `${path}.rules: expiry must be after the start, within 90 days and ${maxPeriods} periods; no adjustment is allowed`,
    );
  if (limited.end <= start)
    throw invalidParams(`${path}.rules: the expiry has passed, or is before the start`);
  const needsPayee = type.startsWith('native');
  if (needsPayee && !rules.payees) throw invalidParams(`${path}.rules: a payee rule is required for ${type}`);
  if (type === 'graft-contract-calls' && rules.payees)
    throw invalidParams(`${path}.rules: a payee rule is not for ${type}, whose contracts are named`);
  if (hasBridge(chain) && rules.payees?.includes(bridge))
    throw invalidParams(`${path}.rules: the bridge is paid with a question each time`);
  const given = permission.data as PermissionRequest['data'];
  return { chainId: chain, from, to, terms: own(limited), isAdjustable, justification, data: given };
}

const readType: Reader<PermissionType> = (value, path) => {
  const found = permissionTypes.find((each) => each === value);
  if (!found) throw refuse(path, `one of ${permissionTypes.join(', ')}`, value);
  return found;
};

type ReadTerms = Omit<PermissionTerms, 'type' | 'start' | 'end' | 'payees'> & {
  readonly start: number | undefined;
  readonly justification: string | undefined;
};

const common = ['startTime', 'justification'] as const;

const readTerms: {
  readonly [type in PermissionType]: (value: Json, path: string, chain: number) => ReadTerms;
} = {
  'native-token-allowance'(value, path) {
    const fields = record(value, path, ['allowanceAmount', 'allowance', ...common]);
    return { ...commonOf(fields, path), amount: allowanceOf(fields, path) };
  },
  'native-token-periodic'(value, path) {
    const fields = record(value, path, ['periodAmount', 'periodDuration', ...common]);
    return { ...commonOf(fields, path), ...periodOf(fields, path) };
  },
  'erc20-token-allowance'(value, path, chain) {
    const fields = record(value, path, [
      'tokenAddress',
      'allowanceAmount',
      'allowance',
      'feeAmount',
      ...common,
    ]);
    return { ...commonOf(fields, path), amount: allowanceOf(fields, path), ...tokenOf(fields, path, chain) };
  },
  'erc20-token-periodic'(value, path, chain) {
    const keys = ['tokenAddress', 'periodAmount', 'periodDuration', 'feeAmount', ...common] as const;
    const fields = record(value, path, keys);
    return { ...commonOf(fields, path), ...periodOf(fields, path), ...tokenOf(fields, path, chain) };
  },
  'graft-contract-calls'(value, path, chain) {
    const fields = record(value, path, [
      'contracts',
      'periodAmount',
      'periodDuration',
      'allowanceAmount',
      ...common,
    ]);
    const isPeriodic = fields.periodDuration !== undefined;
    return {
      ...commonOf(fields, path),
      ...(isPeriodic ? periodOf(fields, path) : { amount: allowanceOf(fields, path) }),
      contracts: contractsOf(fields.contracts ?? null, `${path}.contracts`, chain),
    };
  },
};

type Fields = { readonly [key: string]: Json | undefined };

function commonOf({ startTime, justification }: Fields, path: string) {
  const isAbsent = (value: Json | undefined) => value === undefined || value === null;
  const words = isAbsent(justification) ? undefined : text(justification as Json, `${path}.justification`);
  if (words && words.length > maxJustification)
    throw invalidParams(
      `${path}.justification: at most ${maxJustification} characters, received ${words.length}`,
    );
  return {
    start: isAbsent(startTime) ? undefined : seconds(startTime as Json, `${path}.startTime`),
    justification: words,
  };
}

function allowanceOf({ allowanceAmount, allowance }: Fields, path: string): Hex {
  if (allowanceAmount !== undefined && allowance !== undefined && allowance !== allowanceAmount)
    throw invalidParams(
      `${path}.allowance: allowance and allowanceAmount are two names of one value, and differ`,
    );
  return amount(allowanceAmount ?? allowance ?? null, `${path}.allowanceAmount`);
}

function periodOf({ periodAmount, periodDuration }: Fields, path: string) {
  const period = seconds(periodDuration ?? null, `${path}.periodDuration`);
  if (period < minPeriod)
    throw invalidParams(`${path}.periodDuration: at least ${minPeriod} seconds, received ${period}`);
  return { amount: amount(periodAmount ?? null, `${path}.periodAmount`), period };
}

function tokenOf({ tokenAddress, feeAmount }: Fields, path: string, chain: number) {
  const token = address(tokenAddress ?? null, `${path}.tokenAddress`);
  if (!knownToken(chain, token))
    throw invalidParams(
      `${path}.tokenAddress: the wallet permits transfers of the tokens that it lists only`,
    );
  return { token, fees: feeAmount === undefined ? usualFees : amount(feeAmount, `${path}.feeAmount`) };
}

function contractsOf(value: Json, path: string, chain: number): readonly PermittedContract[] {
  const contracts = listOf(value, path, maxContracts).map((each, at) => {
    const fields = record(each, `${path}[${at}]`, ['address', 'selectors']);
    const contract = address(fields.address ?? null, `${path}[${at}].address`);
    if (knownContracts(chain).some((known) => known.address === contract))
      throw invalidParams(`${path}[${at}].address: this contract is called with a question each time`);
    const selectors = listOf(fields.selectors ?? null, `${path}[${at}].selectors`, maxSelectors);
    const read = selectors.map((one, i) => functionOf(one, `${path}[${at}].selectors[${i}]`));
    const named = read.filter(({ name }) => name !== undefined);
    return {
      address: contract,
      selectors: [...new Set(read.map(({ selector }) => selector))],
      ...(named.length > 0 && {
        names: Object.fromEntries(named.map(({ selector, name }) => [selector, name as string])),
      }),
    };
  });
  if (new Set(contracts.map(({ address: each }) => each)).size < contracts.length)
    throw invalidParams(`${path}: a contract is named twice`);
  return contracts;
}

/** Reads a function: by its first four bytes, or by its signature, which also has its name. */
const functionOf: Reader<{ readonly selector: Hex; readonly name?: string }> = (value, path) => {
  if (typeof value !== 'string' || /^0x/i.test(value)) return { selector: selectorOf(value, path) };
  for (const [selector, { name }] of bySelector(signaturesIn(value)))
    if (name.length <= maxName) return { selector: selectorOf(selector, path), name };
  throw refuse(path, `the first four bytes of a call, or a signature such as move(uint8)`, value);
};

function signaturesIn(text: string): readonly string[] {
  try {
    return text.length > maxSignature ? [] : readSignatures([text], 'function');
  } catch {
    return [];
  }
}

/** Characters of a signature, and of the name in it, which the person is shown. */
const maxSignature = 1_000;
const maxName = 40;

const selectorOf: Reader<Hex> = (value, path) => {
  const selector = data(value, path);
  if (selector.length !== 10) throw refuse(path, 'the first four bytes of a call', value);
  const effect = knownEffect(selector);
  if (effect !== undefined && effect !== 'harmless')
    throw invalidParams(
      `${path}: ${selector} moves tokens, gives a right or carries out other calls, which a question each time has to show`,
    );
  return selector;
};

const amount: Reader<Hex> = (value, path) => {
  const read = quantity(value, path);
  if (read === '0x0') throw refuse(path, 'more than zero', value);
  return read;
};

const seconds: Reader<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw refuse(path, 'a whole number of seconds', value);
  return value as number;
};

function listOf(value: Json, path: string, max: number): readonly Json[] {
  if (!Array.isArray(value) || value.length === 0) throw refuse(path, 'an array of at least one', value);
  if (value.length > max) throw invalidParams(`${path}: at most ${max}, received ${value.length}`);
  return value;
}

function readRules(
  value: Json,
  path: string,
): { readonly end: number; readonly payees?: readonly Address[] } {
  let end: number | undefined;
  let payees: readonly Address[] | undefined;
  for (const [at, rule] of listOf(value, path, maxRules).entries()) {
    const here = `${path}[${at}]`;
    const { type = null, data: given = null } = record(rule, here, ['type', 'data']);
    if (type === 'expiry' && end === undefined) {
      const { timestamp = null } = record(given, `${here}.data`, ['timestamp']);
      end = seconds(timestamp, `${here}.data.timestamp`);
    } else if (type === 'payee' && payees === undefined) {
      const { addresses = null } = record(given, `${here}.data`, ['addresses']);
      const read = listOf(addresses, `${here}.data.addresses`, maxPayees);
      payees = [...new Set(read.map((each, i) => address(each, `${here}.data.addresses[${i}]`)))];
    } else
      throw invalidParams(
        `${here}.type: expected one expiry and at most one payee, received ${excerpt(type)}`,
      );
  }
  if (end === undefined) throw invalidParams(`${path}: an expiry rule is required`);
  return { end, ...(payees && { payees }) };
}

/** The terms with the latest end that the wallet grants. A period that is as long as the term is left out. */
function withinLimits(terms: PermissionTerms, now: number): PermissionTerms {
  const { start, period } = terms;
  const latest = Math.min(terms.end, now + maxTerm);
  const end =
    period === undefined || periodsIn({ ...terms, end: latest }) <= maxPeriods
      ? latest
      : start + maxPeriods * period;
  const isOnce = period !== undefined && period >= end - start;
  return { ...terms, end, period: isOnce ? undefined : period };
}
