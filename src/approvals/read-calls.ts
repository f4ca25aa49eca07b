import type { AbiSignature, Parameter } from '../rpc/abi-parameters.js';
import { bySelector } from '../rpc/abi-selectors.js';
import { readValues, type Value } from '../rpc/abi-values.js';
import { own } from '../rpc/own.js';
import type { Address, Hex } from '../rpc/schema.js';
import { isUnlimited } from '../rpc/token-amount.js';
import { tokenSelectors } from '../rpc/token-calls.js';
import type { CallTree } from './call-tree.js';
import type { DecodedCall } from './decode-call.js';
import { type KnownEffect, knownFunctions } from './known-functions.js';

/** Reads calls and the calls inside them. A chunk of its own, which loads with the first data that a person is asked about. */

/** A call to read. */
export interface CallToRead {
  /** `null` for a deployment, or with `isFound` where the target is not known. */
  readonly to: Address | null;
  /** wei, decimal; default 0 */
  readonly value?: string | undefined;
  readonly data: Hex;
  /** Caller; `null` where it is not known. */
  readonly from?: Address | null | undefined;
  readonly delegated?: boolean | undefined;
  /** Whether the call was found among other bytes, which do not say what its target is. */
  readonly isFound?: boolean | undefined;
}

/** Reads the calls of one question. All calls of a reader share its limits. */
export interface CallReader {
  read(call: CallToRead): CallTree;
  /** The calls of known functions anywhere in these bytes, in order. */
  find(bytes: Hex, from?: Address | null): readonly CallTree[];
  /** Whether the bytes are a call of a known function in its canonical encoding. */
  isKnownCall(bytes: Hex): boolean;
  /** Steps taken: words read, and 32 bytes searched. */
  steps(): number;
  /** Whether a limit was reached, so that calls may be missing. */
  isExhausted(): boolean;
}

export declare namespace createCallReader {
  interface Options {
    /** Default 50,000. */
    readonly maxSteps?: number | undefined;
    /** Calls that are listed, inner ones included; default 100. */
    readonly maxCalls?: number | undefined;
    /** Calls inside one another; default 8. */
    readonly maxDepth?: number | undefined;
  }
}

/** Thrown when a limit is reached. */
const exhausted = Symbol('exhausted');

type Known = AbiSignature & { readonly effect: KnownEffect };

const known: ReadonlyMap<string, Known> = new Map(
  Object.entries(knownFunctions).flatMap(([effect, signatures]) =>
    [...bySelector(signatures)].map(
      ([selector, signature]) =>
        [selector.slice(2), { ...signature, effect: effect as KnownEffect }] as const,
    ),
  ),
);

/** The effect of a function that the wallet knows by its first four bytes; `undefined` for any other. */
export const knownEffect = (selector: Hex): KnownEffect | undefined =>
  known.get(selector.slice(2).toLowerCase())?.effect;

/** Batches as ERC-7579 and ERC-7821 encode them in a `bytes` argument. */
const batches: readonly (readonly Parameter[])[] = [
  ...bySelector([
    'batch((address target,uint256 value,bytes call)[] calls)',
    'batch((address target,uint256 value,bytes call)[] calls,bytes data)',
  ]).values(),
].map(({ inputs }) => inputs);

/** The scalars of one call or movement by their parameter names. */
type Fields = ReadonlyMap<string, string>;

/** @param options limits, which bound the work on any data */
export function createCallReader(options?: createCallReader.Options): CallReader {
  const { maxSteps = 50_000, maxCalls = 100, maxDepth = 8 } = own(options);
  let steps = 0;
  let calls = 0;
  let isExhausted = false;

  const exhaust = (): never => {
    isExhausted = true;
    throw exhausted;
  };
  const step = (count = 1) => {
    steps += count;
    if (steps > maxSteps) exhaust();
  };
  /** Adds what `list` yields. Returns whether a limit was reached before its end. */
  const collect = (into: CallTree[], list: () => Iterable<CallTree>): boolean => {
    try {
      for (const call of list()) into.push(call);
      return false;
    } catch (reason) {
      if (reason !== exhausted) throw reason;
      return true;
    }
  };

  const read = (call: CallToRead, depth: number): CallTree => {
    calls += 1;
    if (depth >= maxDepth || calls > maxCalls) exhaust();
    const { to, data, value = '0', delegated = false, isFound = false } = own(call);
    const selector = data.slice(2, 10).toLowerCase();
    const node = {
      to,
      value,
      selector: `0x${selector}`,
      method: null,
      arguments: [],
      tokens: [],
      endless: false,
      delegated,
      opaque: false,
      inner: [],
      truncated: false,
    } as const;
    if (data === '0x') return { ...node, effect: 'payment' };
    if (to === null && !isFound) return { ...node, effect: 'creation' };
    const method = known.get(selector);
    const digits = data.slice(10).toLowerCase();
    const inner: CallTree[] = [];
    if (method === undefined) {
      const truncated = collect(inner, () => search(digits, to, depth + 1));
      return { ...node, effect: 'unknown', inner, truncated };
    }
    const { name, inputs, effect } = method;
    const decoded = readValues(inputs, digits, step);
    if (decoded === null || decoded.length !== digits.length)
      return { ...node, effect: 'disguised', method: name };
    const { values } = decoded;
    const all = take(maxCalls, levels(inputs, values));
    const tokens = effect === 'transfer' || effect === 'approval' ? tokensOf(all, method, call) : [];
    const opaque = all.flatMap(({ fields }) => [...fields].filter(([key, bytes]) => isOpaque(key, bytes)));
    const isCut = collect(inner, function* () {
      for (const { fields } of all) yield* callsIn(fields, call, depth + 1);
    });
    const unread = new Set(opaque.map(([, bytes]) => bytes));
    let isRead = true;
    const hasMore = collect(inner, function* () {
      for (const bytes of unread) {
        const isWhole = yield* search(bytes.slice(2), null, depth + 1);
        isRead &&= isWhole;
      }
    });
    return {
      ...node,
      effect,
      method: name,
      arguments: inputs.map((input, i) => ({
        name: input.name,
        type: input.type,
        value: textOf(values[i] as Value).slice(0, maxText),
      })),
      tokens: isFound ? [] : tokens,
      endless: isEndless(effect, all, tokens),
      opaque: !isRead,
      inner,
      // A function may also carry out what was stored earlier, as `confirmTransaction` does.
      truncated:
        isCut ||
        hasMore ||
        all.length === maxCalls ||
        (effect === 'execution' && (inner.length === 0 || unread.size > 0)),
    };
  };

  /** The call or calls that the fields of one level describe. */
  function* callsIn(fields: Fields, outer: CallToRead, depth: number): Generator<CallTree> {
    const packed = fields.get('transactions');
    if (packed !== undefined) yield* multiSend(packed.slice(2), outer, depth);
    const [mode, execution] = [fields.get('mode'), fields.get('execution')];
    if (mode !== undefined && execution !== undefined)
      yield* executionIn(mode, execution.slice(2), outer, depth);
    const data = fields.get('call') as Hex | undefined;
    const [code, target] = [fields.get('code'), fields.get('target')] as (Address | undefined)[];
    // A proxy that is set up with no code to run carries an empty call.
    if (data === undefined || (data === '0x' && target === undefined)) return;
    const to = code ?? target ?? outer.to;
    yield read(
      {
        to,
        value: fields.get('value') ?? '0',
        data,
        // Code that runs as the contract's own keeps the caller: `multicall` and `delegatecall`.
        from: to === outer.to || code !== undefined ? (outer.from ?? null) : outer.to,
        delegated: code !== undefined || fields.get('operation') === '1',
        isFound: to === null,
      },
      depth,
    );
    const refund = refundOf((name) => fields.get(name));
    if (refund) yield refund;
  }

  /** Safe's packed list: operation, target, value, length and data of each call. */
  function* multiSend(hex: string, outer: CallToRead, depth: number): Generator<CallTree> {
    for (let at = 0; at < hex.length; ) {
      step();
      const length = Number(BigInt(`0x${hex.slice(at + 106, at + 170) || 0}`)) * 2;
      const end = at + 170 + length;
      if (!(end <= hex.length)) exhaust();
      yield read(
        {
          to: `0x${hex.slice(at + 2, at + 42)}`,
          value: BigInt(`0x${hex.slice(at + 42, at + 106)}`).toString(),
          data: `0x${hex.slice(at + 170, end)}`,
          from: outer.from ?? null,
          delegated: hex.slice(at, at + 2) !== '00',
        },
        depth,
      );
      at = end;
    }
  }

  /** The execution of ERC-7579 and ERC-7821: the first byte of the mode names its encoding. One of another kind is not read. */
  function* executionIn(mode: string, hex: string, outer: CallToRead, depth: number): Generator<CallTree> {
    const kind = mode.slice(2, 4);
    const from = outer.to;
    if (kind === '01') {
      const found = batches
        .map((inputs) => ({ inputs, decoded: readValues(inputs, hex, step) }))
        .find(({ decoded }) => decoded?.length === hex.length);
      if (!found) return yield unread({ to: null, data: '0x' });
      for (const { fields } of levels(found.inputs, found.decoded?.values ?? []))
        yield* callsIn(fields, outer, depth);
      return;
    }
    const isDelegated = kind === 'ff';
    const start = isDelegated ? 40 : 104;
    if (hex.length < start || (kind !== '00' && !isDelegated)) return yield unread({ to: null, data: '0x' });
    const to: Address = `0x${hex.slice(0, 40)}`;
    const value = isDelegated ? '0' : BigInt(`0x${hex.slice(40, 104)}`).toString();
    yield read({ to, value, data: `0x${hex.slice(start)}`, from, delegated: isDelegated }, depth);
  }

  /**
   * Known calls anywhere in some bytes, aligned or not, each with the target that precedes it in a struct. Returns whether the
   * bytes are nothing else.
   */
  function* search(hex: string, from: Address | null, depth: number): Generator<CallTree, boolean> {
    let covered = 0;
    for (let at = 0; at + 8 <= hex.length; at += 2) {
      if (at % 64 === 0) step();
      const method = known.get(hex.slice(at, at + 8));
      if (method === undefined) continue;
      const word = (words: number) => hex.slice(at - words * 64, at - words * 64 + 64);
      const stated = at >= 64 ? BigInt(`0x${word(1)}`) : 0n;
      const isStated = stated >= 4n && stated * 2n <= BigInt(hex.length - at);
      const decoded = readValues(method.inputs, hex.slice(at + 8), step);
      // Four bytes alone may be anything.
      if (!isStated && (decoded === null || method.inputs.length === 0)) continue;
      const length = isStated ? Number(stated) * 2 : 8 + (decoded?.length ?? 0);
      const { to, value } = isStated ? targetBefore(word, at) : { to: null, value: '0' };
      const data: Hex = `0x${hex.slice(at, at + length)}`;
      yield read({ to, value, data, from, isFound: to === null }, depth);
      covered += length;
      at += length - 2;
    }
    return covered === hex.length;
  }

  return {
    read(call) {
      const list: CallTree[] = [];
      collect(list, () => [read(call, 0)]);
      return list[0] ?? unread(call);
    },
    find(bytes, from = null) {
      const list: CallTree[] = [];
      collect(list, () => search(bytes.slice(2).toLowerCase(), from, 0));
      return list;
    },
    isKnownCall(bytes) {
      const method = known.get(bytes.slice(2, 10));
      try {
        return (
          method !== undefined &&
          readValues(method.inputs, bytes.slice(10), step)?.length === bytes.length - 10
        );
      } catch {
        return false;
      }
    },
    steps: () => Math.min(steps, maxSteps),
    isExhausted: () => isExhausted,
  };
}

/** A call that was not read because a limit had been reached. */
const unread = (call: CallToRead): CallTree => {
  const { to, data, value = '0', delegated = false } = own(call);
  return {
    ...{ to, value, delegated, selector: data.slice(0, 10) as Hex },
    ...{ effect: 'unknown', method: null, arguments: [], tokens: [], inner: [] },
    ...{ endless: false, opaque: false, truncated: true },
  };
};

/** A Safe's gas refund as a movement of its own. It has no limit: the caller sets the price, and the gas is counted at execution. */
export function refundOf(get: (name: string) => string | undefined): CallTree | null {
  const [price, token, receiver] = ['gasPrice', 'gasToken', 'refundReceiver'].map(get);
  if (!token || !receiver || !price || price === '0') return null;
  const amount = (BigInt(price) * (BigInt(get('baseGas') ?? 0) + BigInt(get('safeTxGas') ?? 0))).toString();
  const [to, address] = [receiver as Address, token as Address];
  const refund = { ...transferOf(address, to, amount), endless: true };
  if (address !== zero) return refund;
  const native = { selector: '0x', effect: 'payment', method: null, tokens: [] } as const;
  return { ...refund, ...native, to: to === zero ? null : to, value: amount };
}

/** A token transfer that no call data encodes, as the call that would make it. */
export function transferOf(token: Address, to: Address, amount: string): CallTree {
  const tokens = [{ name: 'transfer', to, amount, token: own({ address: token }) }] as const;
  return {
    ...{
      to: token,
      value: '0',
      selector: tokenSelectors.transfer,
      effect: 'transfer',
      method: 'transfer',
      tokens,
    },
    ...{ arguments: [], inner: [], endless: false, delegated: false, opaque: false, truncated: false },
  };
}

/** The target and the value where a call's `bytes` is the last member of a struct (target, value, bytes) or (target, bytes). */
function targetBefore(
  word: (words: number) => string,
  at: number,
): { readonly to: Address | null; readonly value: string } {
  const head = at >= 128 ? BigInt(`0x${word(2)}`) : 0n;
  const [distance, last] = head === 96n ? [4, word(3)] : head === 64n ? [3, '0'] : [0, '0'];
  const slot = distance > 0 && at >= distance * 64 ? word(distance) : '';
  const digits = /^0{24}([\da-f]{40})$/.exec(slot)?.[1];
  return digits === undefined || /^0{30}/.test(digits)
    ? { to: null, value: '0' }
    : { to: `0x${digits}`, value: BigInt(`0x${last}`).toString() };
}

/** Names of parameters whose arrays, side by side, describe one call or movement for each index. */
const parallel = new Set(
  'to from amount id token spender operator target value call mode execution data'.split(' '),
);

interface Level {
  readonly fields: Fields;
}

/** The scalars of each tuple with those of the tuples around it, and of each index of parallel arrays. */
function* levels(
  inputs: readonly Parameter[],
  values: readonly Value[],
  outer: Fields = new Map(),
): Generator<Level> {
  const fields = new Map(outer);
  const arrays: (readonly [name: string, list: readonly Value[]])[] = [];
  const tuples: (readonly [inputs: readonly Parameter[], values: readonly Value[]])[] = [];
  for (const [i, { name, components, element }] of inputs.entries()) {
    const value = values[i] as Value;
    if (typeof value === 'string') fields.set(name, value);
    else if (components) tuples.push([components, value]);
    else if (element?.components)
      for (const each of value) tuples.push([element.components, each as readonly Value[]]);
    else if (parallel.has(name)) arrays.push([name, value]);
  }
  const count = Math.max(0, ...arrays.map(([, list]) => list.length));
  for (let i = 0; i < count; i++)
    yield {
      fields: new Map([...fields, ...arrays.flatMap(([name, list]) => pairAt(name, list[i]))]),
    };
  if (arrays.length === 0) yield { fields };
  for (const [components, each] of tuples) yield* levels(components, each, fields);
}

function take<T>(count: number, from: Iterable<T>): readonly T[] {
  const taken: T[] = [];
  for (const each of from) if (taken.push(each) === count) break;
  return taken;
}

const pairAt = (name: string, value: Value | undefined): readonly (readonly [string, string])[] =>
  typeof value === 'string' ? [[name, value]] : [];

const isOpaque = (name: string, value: string): boolean => /^data\d?$/.test(name) && value !== '0x';

/** Movements and rights of tokens: one common token call for each level that says enough. */
function tokensOf(all: readonly Level[], { name, effect }: Known, call: CallToRead): readonly DecodedCall[] {
  // Permit2 has two lists side by side: tokens with what is permitted, and recipients with what they get.
  const permitted = all.filter(({ fields }) => fields.has('permitted'));
  if (permitted.length > 0) {
    const got = all.filter(({ fields }) => fields.has('requested'));
    return got.flatMap(({ fields }, i) => {
      const [from, to, amount] = ['owner', 'recipient', 'requested'].map((key) => fields.get(key));
      const address = permitted[i]?.fields.get('token');
      return address
        ? [{ name: 'transferFrom', from, to, amount, token: own({ address }) } as DecodedCall]
        : [];
    });
  }
  return all.flatMap(({ fields }) => {
    const get = (key: string) => fields.get(key);
    const address = (get('token') ?? call.to ?? zero) as Address;
    const token = own({ address });
    const read = effect === 'transfer' ? movementOf(get, name, call) : rightOf(get, name);
    return read === null ? [] : [{ ...read, token } as DecodedCall];
  });
}

type Movement<T> = T extends DecodedCall ? Omit<T, 'token'> : never;
type WithoutToken = Movement<DecodedCall>;

function movementOf(
  get: (name: string) => string | undefined,
  name: string,
  { from: caller }: CallToRead,
): WithoutToken | null {
  const [to, amount, id] = [get('to') as Address | undefined, get('amount'), get('id')];
  const from = get('from') as Address | undefined;
  if (id !== undefined) {
    const owner = from ?? caller;
    const target = to ?? (/burn/i.test(name) ? zero : undefined);
    return owner && target
      ? { name: 'safeTransferFrom', from: owner, to: target, tokenId: id, amount }
      : null;
  }
  if (amount === undefined) return null;
  if (to === undefined) return { name: 'burn', from, amount };
  return from ? { name: 'transferFrom', from, to, amount } : { name: 'transfer', to, amount };
}

const maxUint256 = 2n ** 256n - 1n;

function rightOf(get: (name: string) => string | undefined, name: string): WithoutToken | null {
  const operator = get('operator') as Address | undefined;
  if (operator !== undefined) {
    const approved = (get('approved') ?? `${name !== 'revokeOperator'}`) === 'true';
    return { name: 'setApprovalForAll', operator, approved };
  }
  const spender = get('spender') as Address | undefined;
  const allowed = get('allowed');
  const amount = get('amount') ?? (allowed && (allowed === 'true' ? maxUint256.toString() : '0'));
  if (spender === undefined || amount === undefined) return null;
  if (/^decrease/.test(name)) return { name: 'decreaseAllowance', spender, amount };
  const change = /^increase/.test(name) ? 'increaseAllowance' : 'approve';
  return { name: change, spender, amount, unlimited: isUnlimited(BigInt(amount)) };
}

const zero: Address = `0x${'0'.repeat(40)}`;

const isBound = (name: string): boolean => /^(?:amount|id|assets|shares|requested)$/.test(name);

/** Whether the amount is one that contracts take for "all", however much there is. */
const isAll = (amount: string): boolean => isUnlimited(BigInt(amount), 1n << 256n);

/** Whether a right or a movement has no limit, or the greatest one. */
function isEndless(effect: KnownEffect, all: readonly Level[], tokens: readonly DecodedCall[]): boolean {
  if (effect !== 'transfer' && effect !== 'approval') return false;
  if (tokens.length > 0)
    return tokens.some((call) => {
      if (call.name === 'setApprovalForAll') return call.approved;
      const { amount, unlimited } = own(call as { amount?: string; unlimited?: boolean });
      return unlimited || (effect === 'transfer' && amount !== undefined && isAll(amount));
    });
  const bounds = all.flatMap(({ fields }) => [...fields].filter(([name]) => isBound(name)));
  return bounds.length === 0 || bounds.some(([name, value]) => name !== 'id' && isAll(value));
}

/** Characters of each argument that are kept. */
const maxText = 200;

const textOf = (value: Value): string =>
  typeof value === 'string' ? value.slice(0, maxText) : `[${value.slice(0, maxText).map(textOf).join(', ')}]`;
