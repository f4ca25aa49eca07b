import { relative, resolve } from 'node:path';
import ts from 'typescript-6';
import { packageEntries } from '../packages.js';

/** An entry of the package with what it exports. */
export interface Entry {
  /** As it is imported: `graft-wallet/bridge`. */
  readonly specifier: string;
  /** The comment at the head of its file. */
  readonly text: string;
  readonly items: readonly Item[];
  /** What it exports as well, and an entry before it has in `items`. */
  readonly also: readonly string[];
}

/** One export, or a type that an export names. */
export interface Item extends Described {
  readonly kind: 'function' | 'class' | 'constant' | 'type';
  /** Whether it can be imported; otherwise it is only named by something that can. */
  readonly isExported: boolean;
  /** The interfaces whose members it has as well. */
  readonly inherits: readonly string[];
  readonly members: readonly Described[];
}

export interface Described {
  /** Of a member without its owner: `unlock`. Of a member of a namespace with it: `createWallet.Options`. */
  readonly name: string;
  /** The declaration without its body, and without what `members` of an item says. */
  readonly signature: string;
  readonly isFunction: boolean;
  readonly comment: Comment;
}

/** A docstring, as Markdown. */
export interface Comment {
  readonly text: string;
  readonly params: readonly { readonly name: string; readonly text: string }[];
  readonly returns: string;
  readonly throws: readonly string[];
  readonly examples: readonly string[];
}

/**
 * Exported (or named) for a type of their namespace only, or as the shape that another library prescribes: their own
 * members are not for callers.
 */
const opaque = new Set([
  'Keyring',
  'LogRanges',
  'Methods',
  'Method',
  'ParamsOf',
  'ResultOf',
  'WireOf',
  'PanelWallet',
  'GraftConnector',
  'RainbowKitWallet',
]);

const isOurs = (file: string): boolean => /^(src|packages)[\\/]/.test(relative('.', file));

/** Files whose types extend the relay. Their own comments describe them, so the reference does not. */
const opaqueFiles =
  /\/packages\/relay\/src\/(engines\/engine|reports\/metrics|heads\/outlet|relay|session)\.ts$/;

/** Reads the entries of our packages from their sources. A type that several entries name is an item of the first. */
export function readEntries(): Entry[] {
  const found = packageEntries.map(({ specifier, source }) => ({ specifier, source: resolve(source) }));
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
  const program = ts.createProgram({ rootNames: found.map(({ source }) => source), options });
  const checker = program.getTypeChecker();
  const original = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const entries = found.map(({ specifier, source }) => {
    const file = program.getSourceFile(source);
    const module = file && checker.getSymbolAtLocation(file);
    if (!file || !module) throw new Error(`${source} exports nothing`);
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => [original(symbol), symbol.name] as const);
    return { specifier, text: headText(file), exported };
  });
  const names = new Map(entries.flatMap(({ exported }) => exported));
  const seen = new Set<ts.Symbol>();

  return entries.map(({ specifier, text, exported }) => {
    const items: Item[] = [];

    /** Adds the declarations of a symbol, then of what they name and no entry exports. */
    function add(symbol: ts.Symbol): void {
      if (seen.has(symbol)) return;
      seen.add(symbol);
      for (const declaration of symbol.declarations ?? []) {
        const { fileName } = declaration.getSourceFile();
        if (!isOurs(fileName) || opaqueFiles.test(fileName)) continue;
        if (ts.isModuleDeclaration(declaration)) {
          if (!opaque.has(symbol.name)) checker.getExportsOfModule(symbol).forEach(add);
          continue;
        }
        if (opaque.has(symbol.name)) continue;
        const name = nameOf(symbol, names);
        const item = itemOf(declaration, name, names.has(symbol));
        if (item) items.push(item);
        for (const named of namedBy(declaration, checker))
          if (!names.has(original(named))) add(original(named));
      }
    }

    for (const [symbol] of exported) add(symbol);
    items.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    const also = exported.filter(
      ([symbol, name]) => !opaque.has(name) && !items.some((item) => item.name === nameOf(symbol, names)),
    );
    return { specifier, text, items, also: also.map(([, name]) => name) };
  });
}

/** The comment at the head of a file, unless it belongs to its first declaration. */
function headText(file: ts.SourceFile): string {
  const [head] = ts.getLeadingCommentRanges(file.text, 0) ?? [];
  if (!head) return '';
  const inside = file.text.slice(head.pos, head.end).replace(/^\/\*\*|\*\/$/g, '');
  return inside.replace(/^\s*\* ?/gm, '').trim();
}

/** The name that a caller writes, with the namespace that it is in. */
function nameOf(symbol: ts.Symbol, names: ReadonlyMap<ts.Symbol, string>): string {
  const [declaration] = symbol.declarations ?? [];
  const block = declaration?.parent?.parent;
  const inNamespace = block !== undefined && ts.isModuleDeclaration(block);
  return `${inNamespace ? `${block.name.text}.` : ''}${names.get(symbol) ?? symbol.name}`;
}

/** The types that a declaration names, without those of its body. */
function namedBy(declaration: ts.Node, checker: ts.TypeChecker): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || ts.isArrowFunction(node) || ts.isObjectLiteralExpression(node)) return;
    const reference = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = reference && checker.getSymbolAtLocation(reference);
    if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter)) found.push(symbol);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
}

function itemOf(node: ts.Declaration, name: string, isExported: boolean): Item | undefined {
  const base = { name, isExported, comment: commentOf(node), inherits: [], members: [] } as const;
  if (ts.isFunctionDeclaration(node))
    return { ...base, kind: 'function', isFunction: true, signature: headOf(node) };
  if (ts.isVariableDeclaration(node)) return constantOf(node, base);
  if (ts.isInterfaceDeclaration(node)) {
    const extended = node.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
    return {
      ...base,
      kind: 'type',
      isFunction: false,
      signature: `interface ${name}${typeParametersOf(node)}${extended.length > 0 ? ` extends ${extended.map((each) => each.getText()).join(', ')}` : ''}`,
      inherits: extended.map((each) => each.expression.getText()),
      members: node.members.map(memberOf),
    };
  }
  if (ts.isTypeAliasDeclaration(node)) {
    const isObject = ts.isTypeLiteralNode(node.type);
    return {
      ...base,
      kind: 'type',
      isFunction: false,
      signature: `type ${name}${typeParametersOf(node)} = ${isObject ? '{ … }' : undent(node.type)}`,
      members: ts.isTypeLiteralNode(node.type) ? node.type.members.map(memberOf) : [],
    };
  }
  if (ts.isClassDeclaration(node)) {
    const members = node.members.filter((each) => !each.getText().startsWith('#') && !isPrivate(each));
    const heritage = (node.heritageClauses ?? []).map((each) => ` ${each.getText()}`).join('');
    return {
      ...base,
      kind: 'class',
      isFunction: false,
      signature: `class ${name}${typeParametersOf(node)}${heritage}`,
      members: members.map(memberOf),
    };
  }
  return undefined;
}

type Base = Omit<Item, 'kind' | 'signature' | 'isFunction'>;

/** A constant: a function, a table whose members are named, or a value. */
function constantOf(node: ts.VariableDeclaration, base: Base): Item {
  let { initializer } = node;
  while (initializer && (ts.isAsExpression(initializer) || ts.isSatisfiesExpression(initializer)))
    initializer = initializer.expression;
  if (initializer && ts.isArrowFunction(initializer))
    return {
      ...base,
      kind: 'function',
      isFunction: true,
      signature: `function ${base.name}${headOf(initializer)}`,
    };
  const members =
    !node.type && initializer && ts.isObjectLiteralExpression(initializer)
      ? initializer.properties.map((each) => ({
          name: each.name?.getText() ?? '',
          signature: each.getText(),
          isFunction: false,
          comment: commentOf(each),
        }))
      : [];
  const type = node.type ? `: ${node.type.getText()}` : '';
  return { ...base, kind: 'constant', isFunction: false, signature: `const ${base.name}${type}`, members };
}

function memberOf(node: ts.Node): Described {
  const member = node as ts.TypeElement | ts.ClassElement;
  const isCall = ts.isCallSignatureDeclaration(member);
  const name = isCall
    ? '(call)'
    : ts.isConstructorDeclaration(member)
      ? 'constructor'
      : (member.name?.getText() ?? member.getText());
  const isFunction =
    ts.isMethodSignature(member) ||
    ts.isMethodDeclaration(member) ||
    (ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type));
  const hasBody = ts.isConstructorDeclaration(member) || ts.isMethodDeclaration(member);
  const whole = ts.isPropertyDeclaration(member)
    ? fieldOf(member)
    : hasBody
      ? headOf(member)
      : undent(member);
  return { name, signature: whole.replace(/[;,]$/, ''), isFunction, comment: commentOf(member) };
}

/** A field of a class as an interface would declare it. A constant value is its type. */
const fieldOf = ({ name, questionToken, type, initializer }: ts.PropertyDeclaration): string =>
  `readonly ${name.getText()}${questionToken ? '?' : ''}: ${(type ?? initializer)?.getText()}`;

const isPrivate = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);

const typeParametersOf = ({
  typeParameters,
}: {
  readonly typeParameters?: ts.NodeArray<ts.TypeParameterDeclaration> | undefined;
}): string => (typeParameters ? `<${typeParameters.map((each) => each.getText()).join(', ')}>` : '');

/** A function up to its body. */
function headOf(
  node: ts.FunctionDeclaration | ts.ArrowFunction | ts.ConstructorDeclaration | ts.MethodDeclaration,
): string {
  const text = node.getText();
  const end = ts.isArrowFunction(node)
    ? node.equalsGreaterThanToken.getStart()
    : (node.body?.getStart() ?? node.end);
  return text
    .slice(0, end - node.getStart())
    .replace(/^export /, '')
    .trim();
}

/** The text of a node, as if it began in the first column. */
function undent(node: ts.Node): string {
  const file = node.getSourceFile();
  const { character } = file.getLineAndCharacterOfPosition(node.getStart());
  const lineStart = file.text.lastIndexOf('\n', node.getStart()) + 1;
  const indent = /^ */.exec(file.text.slice(lineStart, lineStart + character))?.[0] ?? '';
  return node.getText().replaceAll(`\n${indent}`, '\n');
}

function commentOf(node: ts.Node): Comment {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = docs.map(({ comment }) => textOf(comment)).join('\n\n');
  const tags = docs.flatMap((doc) => [...(doc.tags ?? [])]);
  const all = (name: string) =>
    tags.filter(({ tagName }) => tagName.text === name).map(({ comment }) => textOf(comment));
  return {
    text,
    params: tags
      .filter(ts.isJSDocParameterTag)
      .map((tag) => ({ name: tag.name.getText(), text: textOf(tag.comment) })),
    returns: all('returns').join(' '),
    throws: tags.filter(ts.isJSDocThrowsTag).map((tag) => {
      const type = tag.typeExpression?.getText() ?? '';
      return `${type}${textOf(tag.comment)}`;
    }),
    examples: all('example'),
  };
}

const textOf = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
  (ts.getTextOfJSDocComment(comment) ?? '').trim();
