import { invalidParams } from './errors.js';

/** Errors or functions of contracts: a signature, an item of an ABI, or a whole ABI. */
export type AbiSource = string | AbiItem | readonly (string | AbiItem)[];

/** An item of a JSON ABI; items of other types than the wanted one are ignored. */
export interface AbiItem {
  /** Only `function` and `error` are used. */
  readonly type: string;
  /** The name of the function or error. */
  readonly name?: string | undefined;
  /** Its parameters, in order. */
  readonly inputs?: readonly AbiParameter[] | undefined;
}

/** A parameter of a function or an error, as in a JSON ABI. */
export interface AbiParameter {
  /** Its Solidity type; `tuple` with `components` for a struct. */
  readonly type: string;
  /** Shown with the value. */
  readonly name?: string | undefined;
  /** The fields of a tuple. */
  readonly components?: readonly AbiParameter[] | undefined;
}

/**
 * Normalises each error or function to `Name(type name,(type name)[] name)`, which the decoder, a chunk of its own, relies
 * on.
 * @throws ProviderRpcError -32602 naming the first source that is not a signature of elementary types, arrays and tuples
 */
export function readSignatures(
  sources: readonly AbiSource[],
  wanted: 'error' | 'function',
  path = `${wanted}s`,
): readonly string[] {
  if (!Array.isArray(sources)) throw invalidParams(`${path}: expected an array of signatures or ABI items`);
  return sources.flat().flatMap((each: unknown, index) => {
    const text = spell(each, wanted);
    if (text === undefined) return [];
    if (isSignature(text)) return [text];
    throw invalidParams(
      `${path}[${index}]: expected the signature of a Solidity ${wanted}, received ${text.slice(0, 20)}`,
    );
  });
}

/** How items of other kinds begin in a human-readable ABI. */
const others = {
  error: /^\s*(function|event|constructor|fallback|receive)\b/,
  function: /^\s*(error|event|constructor|fallback|receive)\b/,
};

/** `undefined` for items of other kinds; a value that is no ABI item becomes an invalid signature. */
function spell(source: unknown, wanted: 'error' | 'function'): string | undefined {
  if (typeof source === 'string') {
    if (others[wanted].test(source)) return undefined;
    const text = source.replace(new RegExp(`^\\s*${wanted}\\s|[\\s;]+$`, 'g'), '');
    return (wanted === 'function' ? withoutModifiers(text) : text)
      .replace(/\s*([(),[\]])\s*/g, '$1')
      .replace(/([)\]])(?=[\w$])/g, '$1 ')
      .replace(/\s+/g, ' ')
      .trim();
  }
  const { type, name, inputs } = (source ?? {}) as Partial<AbiItem>;
  if (typeof type === 'string' && type !== wanted) return undefined;
  return `${name ?? '?'}${list(inputs)}`;
}

/** The function without what may follow its parameters: `external view returns (uint256)`. Also drops data locations. */
const withoutModifiers = (text: string): string =>
  text
    .replace(
      /\)\s*(?:(?:external|public|pure|view|payable|nonpayable|virtual)\b\s*)*(?:returns\s*\(.*\))?\s*$/,
      ')',
    )
    .replace(/\s(?:memory|calldata|storage)\b/g, '')
    .replace(/\baddress\s+payable\b/g, 'address');

const list = (parameters: unknown): string =>
  Array.isArray(parameters) ? `(${parameters.map(spellParameter).join()})` : '?';

function spellParameter(parameter: unknown): string {
  const { type, name, components } = (parameter ?? {}) as Partial<AbiParameter>;
  return `${String(type).replace(/^tuple/, () => list(components))}${name ? ` ${name}` : ''}`;
}

/** Characters of a signature. */
const maxSignatureText = 4096;

/** Replaces the innermost parentheses by one type until only the name and `#` are left. */
function isSignature(text: string): boolean {
  if (text.length > maxSignatureText || text.includes('#')) return false;
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
