import { lazy } from '../../async/lazy.js';
import { excerpt, invalidParams } from '../../rpc/errors.js';

/** Solidity errors: a signature, an item of an ABI, or a whole ABI. */
export type ErrorSource = string | AbiItem | readonly (string | AbiItem)[];

/** An item of a JSON ABI; items of another type than `error` are ignored. */
export interface AbiItem {
  readonly type: string;
  readonly name?: string | undefined;
  readonly inputs?: readonly AbiParameter[] | undefined;
}

export interface AbiParameter {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly AbiParameter[] | undefined;
}

/** Describes a revert from its payload (hex); `undefined` if it cannot. */
export type DescribeRevert = (data: string) => Promise<string | undefined>;

/**
 * Describes the custom errors of contracts, for `createWallet({ describeRevert })`: the message of such a revert is
 * `execution reverted: TooLow(available: 1, required: 2)`, with the parameter names of the signatures. The decoder loads
 * at the first revert.
 *
 * @param sources signatures (`error TooLow(uint256 available, uint256 required)`, with or without `error`), items
 * of a JSON ABI, or whole ABIs
 * @throws ProviderRpcError -32602 naming the first source that is not a signature of elementary types, arrays and tuples
 */
export function solidityErrors(sources: readonly ErrorSource[]): DescribeRevert {
  const signatures = readErrorSignatures(sources);
  const decoder = lazy(async () => (await import('./abi-errors.js')).createErrorDecoder(signatures));
  return async (data) => (await decoder())(data);
}

/**
 * Normalises each error to `Name(type name,(type name)[] name)`, which the decoder, a chunk of its own, relies on.
 * @throws ProviderRpcError -32602 naming the first source that is not a signature of elementary types, arrays and tuples
 */
export function readErrorSignatures(sources: readonly ErrorSource[]): readonly string[] {
  if (!Array.isArray(sources)) throw invalidParams('errors: expected an array of signatures or ABI items');
  return sources.flat().flatMap((each: unknown, index) => {
    const text = spell(each);
    if (text === undefined) return [];
    if (isSignature(text)) return [text];
    throw invalidParams(
      `errors[${index}]: expected the signature of a Solidity error, received ${excerpt(text)}`,
    );
  });
}

/** `undefined` for functions, events and other items; a value that is no ABI item becomes an invalid signature. */
function spell(source: unknown): string | undefined {
  if (typeof source === 'string')
    return /^\s*(function|event|constructor|fallback|receive)\b/.test(source)
      ? undefined
      : source
          .replace(/^\s*error\s|[\s;]+$/g, '')
          .replace(/\s*([(),[\]])\s*/g, '$1')
          .replace(/([)\]])(?=[\w$])/g, '$1 ')
          .replace(/\s+/g, ' ')
          .trim();
  const { type, name, inputs } = (source ?? {}) as Partial<AbiItem>;
  if (typeof type === 'string' && type !== 'error') return undefined;
  return `${name ?? '?'}${list(inputs)}`;
}

const list = (parameters: unknown): string =>
  Array.isArray(parameters) ? `(${parameters.map(spellParameter).join()})` : '?';

function spellParameter(parameter: unknown): string {
  const { type, name, components } = (parameter ?? {}) as Partial<AbiParameter>;
  return `${String(type).replace(/^tuple/, () => list(components))}${name ? ` ${name}` : ''}`;
}

/** Characters of a signature. */
const longest = 4096;

/** Replaces the innermost parentheses by one type until only the name and `#` are left. */
function isSignature(text: string): boolean {
  if (text.length > longest || text.includes('#')) return false;
  let rest = text;
  for (let inner = innermost.exec(rest); inner; inner = innermost.exec(rest)) {
    const parameters = inner[1] as string;
    if (parameters && !parameters.split(',').every(isParameter)) return false;
    rest = rest.replace(inner[0], '#');
  }
  return /^[A-Za-z_$][\w$]*#$/.test(rest);
}

const innermost = /(?:\btuple)?\(([^()]*)\)/;

function isParameter(text: string): boolean {
  const parts = /^(#|address|bool|string|(bytes|u?int)(\d*))(\[([1-9]\d*)?\])*( [A-Za-z_$][\w$]*)?$/.exec(
    text,
  );
  if (!parts) return false;
  const [, , family, digits] = parts;
  const size = Number(digits);
  if (!family || !digits) return true;
  return digits[0] !== '0' && (family === 'bytes' ? size <= 32 : size <= 256 && size % 8 === 0);
}
