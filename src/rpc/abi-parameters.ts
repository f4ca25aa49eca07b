import { own } from './own.js';

/** Parses Solidity signatures with named parameters, as `readSignatures` normalises them. */

/** A parameter, a component of a tuple or the element of an array. */
export interface Parameter {
  readonly name: string;
  /** The canonical type of the signature that is hashed to the selector (Solidity ABI, "Function Selector"). */
  readonly type: string;
  /** Bytes in the head; 32 (an offset) if `isDynamic`. */
  readonly size: number;
  readonly isDynamic: boolean;
  /** The components of a tuple. */
  readonly components?: readonly Parameter[] | undefined;
  /** The element of an array; `length` is undefined if the payload contains it. */
  readonly element?: Parameter | undefined;
  readonly length?: number | undefined;
}

/** A function or an error with its parameters. */
export interface AbiSignature {
  readonly name: string;
  readonly inputs: readonly Parameter[];
}

/** Reads one signature that `readSignatures` has normalised. */
export function parseSignature(signature: string): AbiSignature {
  const tokens = signature.match(/[\w$]+|\[\d*\]|[(),]/g) as string[];
  const [name = ''] = tokens.splice(0, 2);
  return { name, inputs: parseList(tokens) };
}

/** The text that is hashed to the selector: `transfer(address,uint256)`. */
export const typesOf = ({ name, inputs }: AbiSignature): string =>
  `${name}(${inputs.map(({ type }) => type)})`;

function parseList(tokens: string[]): Parameter[] {
  const parameters: Parameter[] = [];
  for (let token = tokens.shift(); token !== ')'; token = tokens.shift()) {
    if (token === ',') token = tokens.shift();
    if (token === 'tuple') token = tokens.shift();
    let parameter = token === '(' ? tuple(parseList(tokens)) : elementary(token as string);
    while (tokens[0]?.startsWith('[')) parameter = array(parameter, tokens.shift() as string);
    const name = /[\w$]/.test(tokens[0] as string) ? (tokens.shift() as string) : '';
    parameters.push(own({ ...parameter, name }));
  }
  return parameters;
}

const elementary = (text: string): Parameter => {
  const type = text.replace(/int$/, 'int256');
  return own({ name: '', type, size: 32, isDynamic: type === 'bytes' || type === 'string' });
};

function tuple(components: readonly Parameter[]): Parameter {
  const isDynamic = components.some((each) => each.isDynamic);
  const size = isDynamic ? 32 : components.reduce((sum, each) => sum + each.size, 0);
  return own({ name: '', type: `(${components.map(({ type }) => type)})`, size, isDynamic, components });
}

function array(element: Parameter, brackets: string): Parameter {
  const length = brackets === '[]' ? undefined : Number(brackets.slice(1, -1));
  const isDynamic = length === undefined || element.isDynamic;
  const size = isDynamic ? 32 : element.size * length;
  return own({ name: '', type: element.type + brackets, size, isDynamic, element, length });
}
