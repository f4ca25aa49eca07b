import { parseSync } from 'vite';

/**
 * Finds syntax and functions of a script that Chrome 109, Firefox 115 or Safari 16.4 lack. They have all of
 * ECMAScript 2022.
 */

/** A use of a newer feature. */
export interface Use {
  readonly file: string;
  readonly name: string;
}

/** Newer static functions, by global. */
const statics: Readonly<Record<string, readonly string[]>> = {
  AbortSignal: ['any'],
  Array: ['fromAsync'],
  Atomics: ['pause', 'waitAsync'],
  Error: ['captureStackTrace', 'isError'],
  Iterator: ['from', 'concat', 'zip', 'zipKeyed'],
  JSON: ['isRawJSON', 'rawJSON'],
  Map: ['groupBy'],
  Math: ['f16round', 'sumPrecise'],
  Object: ['groupBy'],
  Promise: ['try', 'withResolvers'],
  ReadableStream: ['from'],
  RegExp: ['escape'],
  Response: ['json'],
  Uint8Array: ['fromBase64', 'fromHex'],
  URL: ['canParse', 'createFor', 'parse'],
  Intl: ['DurationFormat', 'Segmenter'],
  navigator: ['scheduling', 'userActivation', 'userAgentData', 'virtualKeyboard'],
};

/** Newer members of instances; no other member that we use has one of these names. */
const members: readonly string[] = [
  // Arrays and typed arrays.
  ...['toReversed', 'toSorted', 'toSpliced'],
  // Strings.
  ...['isWellFormed', 'toWellFormed'],
  // Buffers.
  ...['transferToFixedLength', 'setFromBase64', 'setFromHex', 'toBase64', 'toHex'],
  // Sets.
  ...[
    'difference',
    'intersection',
    'isDisjointFrom',
    'isSubsetOf',
    'isSupersetOf',
    'symmetricDifference',
    'union',
  ],
  // Iterators, whose map, filter and others have the names of those of arrays.
  ...['drop', 'toArray'],
  // Maps.
  ...['getOrInsert', 'getOrInsertComputed'],
  // The document and its elements.
  ...[
    'checkVisibility',
    'getHTML',
    'moveBefore',
    'setHTMLUnsafe',
    'showPopover',
    'hidePopover',
    'togglePopover',
  ],
  ...['requestClose', 'startViewTransition', 'scrollIntoViewIfNeeded', 'computedStyleMap'],
  // Workers, timers, streams.
  ...['requestIdleCallback', 'cancelIdleCallback', 'postTask'],
];

/** Globals that are newer. */
const globals: readonly string[] = [
  ...[
    'AsyncDisposableStack',
    'CookieStore',
    'DisposableStack',
    'Float16Array',
    'HTMLFencedFrameElement',
    'Iterator',
  ],
  ...[
    'NavigateEvent',
    'Observable',
    'SharedStorage',
    'SuppressedError',
    'Temporal',
    'TrustedHTML',
    'URLPattern',
  ],
  ...['WebTransport', 'cookieStore', 'documentPictureInPicture', 'navigation', 'scheduler', 'trustedTypes'],
];

/** Node types that ECMAScript 2022 lacks, or has only under conditions that are checked below. */
const newSyntax: readonly string[] = [
  'AccessorProperty',
  'Decorator',
  'ImportAttribute',
  'V8IntrinsicExpression',
];

type Node = { readonly type: string; readonly [member: string]: unknown };

/**
 * Uses that the script guards by `typeof`, a comparison, a condition or an optional call are left out.
 * @throws Error for code that does not parse
 */
export function newerThanFloor(file: string, code: string): Use[] {
  const { program, errors } = parseSync(file, code);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const [used, asked] = [new Set<string>(), new Set<string>()];
  visit(program as unknown as Node, false, (name, isAsked) => (isAsked ? asked : used).add(name));
  return [...used].filter((name) => !asked.has(name)).map((name) => ({ file, name }));
}

/** @param isGuarded whether the use is behind a check */
function visit(node: Node, isGuarded: boolean, report: (name: string, isAsked: boolean) => void): void {
  const name = nameOf(node);
  if (name !== undefined) report(name, isGuarded);
  for (const [key, member] of Object.entries(node)) {
    // A guarded use breaks nothing.
    const isAsked =
      (node.type === 'UnaryExpression' && node.operator === 'typeof') ||
      (node.type === 'CallExpression' && node.optional === true && key === 'callee') ||
      (/^(?:If|Conditional)/.test(node.type) && key === 'test') ||
      (node.type === 'LogicalExpression' && isGuarded) ||
      (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node.operator)));
    for (const each of Array.isArray(member) ? member : [member])
      if (isNode(each)) visit(each, isAsked, report);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const identifierOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;

/** The newer feature that this node uses itself. */
function nameOf(node: Node): string | undefined {
  switch (node.type) {
    case 'MemberExpression': {
      const { object, property, computed } = node;
      const text = isNode(property) && property.type === 'Literal' ? String(property.value) : undefined;
      const member = computed ? text : identifierOf(property);
      if (member === undefined) return undefined;
      // `globalThis.X` is X.
      const owner = identifierOf(object) ?? (isNode(object) ? identifierOf(object.property) : undefined);
      if (owner !== undefined && Object.hasOwn(statics, owner) && statics[owner]?.includes(member))
        return `${owner}.${member}`;
      if (/^(globalThis|window|self)$/.test(owner ?? '') && globals.includes(member)) return member;
      return members.includes(member) ? `.${member}()` : undefined;
    }
    case 'NewExpression':
    case 'CallExpression': {
      const callee = identifierOf(node.callee);
      return callee !== undefined && globals.includes(callee) ? callee : undefined;
    }
    case 'Literal': {
      const { pattern, flags } = (node.regex ?? {}) as { pattern?: string; flags?: string };
      if (flags?.includes('v')) return 'a regular expression with the flag v';
      if (/\(\?(?=[ims-]+:)/.test(pattern ?? '')) return 'a regular expression with modifiers';
      const names = [...(pattern ?? '').matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map(([, group]) => group);
      return new Set(names).size < names.length
        ? 'a regular expression with two groups of one name'
        : undefined;
    }
    case 'VariableDeclaration':
      return /using/.test(String(node.kind)) ? String(node.kind) : undefined;
    case 'ImportExpression':
    case 'ImportDeclaration':
      return node.phase ? `import ${node.phase}` : undefined;
    default:
      return newSyntax.includes(node.type) ? node.type : undefined;
  }
}
