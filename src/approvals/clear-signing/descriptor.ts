import { type AbiSignature, parseSignature, typesOf } from '../../rpc/abi-parameters.js';
import { readSignatures } from '../../rpc/abi-signatures.js';
import { invalidParams } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import { type Address, isAddress } from '../../rpc/schema.js';
import { isJsonObject, type JsonMembers, limited, membersIn, received, visibleText } from './file.js';
import { type Format, readFormat, readShownRule, type ShownRule } from './formats.js';
import { type FieldPath, inGroup, readFieldPath, type TypeAt, typesIn } from './paths.js';
import { constantOf, type ReferenceContext, readCallPath, valueAt } from './references.js';

/** A file that was checked: its paths exist, its formats fit, and what it refers to is there. */
export interface Descriptor {
  readonly deployments: readonly { readonly chainId: number; readonly address: Address }[];
  readonly owner: string;
  /** The name of the contract. */
  readonly contract: string | undefined;
  readonly formats: readonly CallFormat[];
  /** The whole file, for its hash. */
  readonly file: JsonMembers;
}

/** How the calls of one function are shown. */
export interface CallFormat {
  /** As `readSignatures` normalises it. */
  readonly signature: string;
  readonly parsed: AbiSignature;
  readonly intent: string;
  readonly fields: readonly (CallField | FieldGroup)[];
}

export interface CallField {
  readonly kind: 'field';
  readonly label: string;
  /** A value of the call, or a constant of the file. */
  readonly source:
    | { readonly kind: 'path'; readonly path: FieldPath }
    | { readonly kind: 'constant'; readonly text: string; readonly type: string };
  readonly format: Format;
  readonly visibility: ShownRule;
}

export interface FieldGroup {
  readonly kind: 'group';
  readonly label: string | undefined;
  readonly fields: readonly (CallField | FieldGroup)[];
  /** The order of several values of each field; absent: by element where the fields have as many. */
  readonly iteration: 'sequential' | 'bundled' | undefined;
}

/** Reads a copied ERC-7730 file. @throws ProviderRpcError -32602 that names what is wrong, and where */
export function readDescriptor(given: unknown, at: string): Descriptor {
  if (!isJsonObject(given)) throw invalidParams(`${at}: expected the object of an ERC-7730 file`);
  const file = membersIn(given);
  checkVersion(file.$schema, `${at}.$schema`);
  if (file.includes !== undefined)
    throw invalidParams(
      `${at}.includes: merge the file that it names with mergeDescriptors, nothing is fetched`,
    );
  const { deployments } = membersIn(membersIn(file.context).contract);
  const place = `${at}.context.contract.deployments`;
  if (!Array.isArray(deployments) || deployments.length === 0)
    throw invalidParams(`${place}: expected the chains and addresses of a contract`);
  const { owner, contractName } = membersIn(file.metadata);
  return {
    deployments: limited(deployments, maxDeployments, place).map((each, i) =>
      readDeployment(membersIn(each), `${place}[${i}]`),
    ),
    owner: visibleText(owner, maxNameText, `${at}.metadata.owner`),
    contract:
      contractName === undefined
        ? undefined
        : visibleText(contractName, maxNameText, `${at}.metadata.contractName`),
    formats: readFormats(file, `${at}.display.formats`),
    file,
  };
}

/** Major 2 only, of which every later minor version is read: it adds what may be left out. */
function checkVersion(schema: unknown, at: string): void {
  const [, major] =
    (typeof schema === 'string' && /erc7730-v(\d{1,6})(?:\.\d{1,6}){0,2}\.schema\.json$/.exec(schema)) || [];
  if (major !== '2')
    throw invalidParams(
      `${at}: expected version 2 of the schema (erc7730-v2.schema.json), received ${received(schema)}`,
    );
}

function readDeployment({ chainId, address }: JsonMembers, at: string): Descriptor['deployments'][number] {
  if (!Number.isSafeInteger(chainId) || Number(chainId) <= 0)
    throw invalidParams(`${at}.chainId: expected a chain id`);
  if (!isAddress(address)) throw invalidParams(`${at}.address: expected an address`);
  return { chainId: Number(chainId), address: address.toLowerCase() as Address };
}

function readFormats(file: JsonMembers, at: string): readonly CallFormat[] {
  const given = Object.entries(membersIn(membersIn(file.display).formats));
  const seen = new Set<string>();
  return limited(given, maxFormats, at).map(([key, value]) => {
    const place = `${at}[${received(key)}]`;
    const [signature] = key.length > maxKeyText ? [] : readSignatures([key], 'function', place);
    if (signature === undefined) throw invalidParams(`${place}: expected the signature of a function`);
    const parsed = parseSignature(signature);
    const types = typesOf(parsed);
    // No bytes encode an empty struct, so that a few of a call could be any number of them.
    if (/\(\)./.test(types) || /(\[\d*\]){9}/.test(types) || /\({9}/.test(types.replace(/[^()]/g, '')))
      throw invalidParams(
        `${place}: expected structs with members, and at most 8 levels of lists or structs`,
      );
    if (seen.has(types)) throw invalidParams(`${place}: another format claims the same function`);
    seen.add(types);
    const { intent, fields = [] } = membersIn(value);
    const context = { file, typeAt: typesIn(parsed), budget: { left: maxFields } };
    return {
      signature,
      parsed,
      intent: readIntent(intent, `${place}.intent`),
      fields: readFields(fields, context, null, 0, `${place}.fields`),
    };
  });
}

/** A text, or names with texts: `{ "Native staking": "Withdraw" }`. */
function readIntent(intent: unknown, at: string): string {
  if (!isJsonObject(intent)) return visibleText(intent, maxIntentText, at);
  const parts = Object.entries(membersIn(intent)).map(
    ([name, text]) => `${visibleText(name, maxIntentText, at)}: ${visibleText(text, maxIntentText, at)}`,
  );
  return visibleText(parts.join(' · '), maxIntentText, at);
}

interface FieldContext {
  readonly file: JsonMembers;
  readonly typeAt: TypeAt;
  /** How many fields the format may still have, groups included. */
  readonly budget: { left: number };
}

function readFields(
  given: unknown,
  context: FieldContext,
  group: FieldPath | null,
  depth: number,
  at: string,
): readonly (CallField | FieldGroup)[] {
  if (!Array.isArray(given)) throw invalidParams(`${at}: expected an array`);
  context.budget.left -= given.length;
  if (context.budget.left < 0 || depth > maxDepth)
    throw invalidParams(
      `${at}: expected at most ${maxFields} fields, in groups within at most ${maxDepth} others`,
    );
  return given.map((each, i) => {
    const members = membersIn(each);
    const place = `${at}[${i}]`;
    return members.fields === undefined
      ? readField(withDefinition(members, context.file, place), { ...context, group }, place)
      : readGroup(members, context, group, depth, place);
  });
}

function readGroup(
  { path, label, iteration, fields }: JsonMembers,
  context: FieldContext,
  group: FieldPath | null,
  depth: number,
  at: string,
): FieldGroup {
  const read = path === undefined ? undefined : readFieldPath(path);
  if (read === null || (read && read.root !== '#'))
    throw invalidParams(`${at}.path: expected a path to arguments`);
  const inner = read ? inGroup(group, path as string, read) : group;
  return {
    kind: 'group',
    label: label === undefined ? undefined : visibleText(label, maxLabelText, `${at}.label`),
    fields: readFields(fields, context, inner, depth + 1, `${at}.fields`),
    iteration: iteration === 'sequential' || iteration === 'bundled' ? iteration : undefined,
  };
}

/** The field with what the definition that it names has, and it has not. */
function withDefinition(members: JsonMembers, file: JsonMembers, at: string): JsonMembers {
  if (members.$ref === undefined) return members;
  const definition = membersIn(valueAt(file, members.$ref));
  if (Object.keys(definition).length === 0)
    throw invalidParams(`${at}.$ref: the file has no ${received(members.$ref)}`);
  const params = own({ ...membersIn(definition.params), ...membersIn(members.params) });
  return own({ ...definition, ...members, params });
}

function readField(members: JsonMembers, context: ReferenceContext, at: string): CallField {
  const { path, value, label, visible } = members;
  const { type, ...source } =
    path === undefined
      ? readConstant(value, context, at)
      : { ...readCallPath(path, context, `${at}.path`), kind: 'path' as const };
  return {
    kind: 'field',
    label: visibleText(label ?? path, maxLabelText, `${at}.label`),
    source: source.kind === 'constant' ? { ...source, type } : source,
    format: readFormat(members, type, context, at),
    visibility: readShownRule(visible, type, context, `${at}.visible`),
  };
}

function readConstant(value: unknown, { file }: ReferenceContext, at: string) {
  if (value === undefined) throw invalidParams(`${at}: expected a path or a value`);
  const text = visibleText(constantOf(value, file, `${at}.value`), maxIntentText, `${at}.value`);
  if (isAddress(text)) return { kind: 'constant' as const, text: text.toLowerCase(), type: 'address' };
  return { kind: 'constant' as const, text, type: /^\d{1,78}$/.test(text) ? 'uint256' : 'string' };
}

const maxDeployments = 1_000;
const maxFormats = 500;
/** Fields of one function. */
const maxFields = 64;
const maxDepth = 4;
/** Characters. */
const maxKeyText = 4_096;
const maxNameText = 60;
const maxIntentText = 120;
const maxLabelText = 60;
