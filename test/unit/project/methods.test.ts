import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Methods } from '../../../src/methods/index.js';
import {
  type MethodName,
  methodFacts,
  methodNames,
  mustNotRepeat,
} from '../../../src/rpc/method-facts/method-facts.js';
import { nodeRows } from '../../../src/rpc/method-facts/node-rows.js';
import type { unsupportedRows } from '../../../src/rpc/method-facts/unsupported-rows.js';
import { asksPerson, isSend, walletFacts } from '../../../src/rpc/method-facts/wallet-facts.js';
import { walletRows } from '../../../src/rpc/method-facts/wallet-rows.js';
import { knownMethods, unsupported } from '../../support/known-methods.js';
import { methods } from '../../support/methods.js';
import { readSources } from '../../support/modules.js';

/** The table has every fact of a method: adding a method touches its row and its handler's file. */

const names = new Set(knownMethods);
const modules = [...new Set(knownMethods.map((name) => name.slice(0, name.indexOf('_'))))];
const aboutModule = new RegExp(`(?<![a-z_])(${modules.join('|')})_`);

/** Files that may judge a method by its name, or list several, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'rpc/method-facts/': 'the table, and what the name of a method without a row shows',
  'methods/': 'each method is handled under its name',
  'local/': 'the node is a program of its own, with methods and dialects of its own',
  'adapters/viem.ts':
    'loads nothing of the wallet; test/unit/adapters/viem.methods.test.ts compares it with the table',
  'chain/tabs/shareable-requests.ts':
    'requests with their exact params, which is what another tab may make this one send',
  'relay/access/policy.ts': 'modules of a node that have no rows, since nothing of the wallet calls them',
};
const isException = (path: string) => Object.keys(exceptions).some((start) => path.startsWith(start));

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') yield value as Node;
  for (const each of Object.values(value)) yield* nodesIn(each);
}

const textOf = (node: unknown): string => {
  const { value, name, property } = (node ?? {}) as Node;
  return typeof value === 'string'
    ? value
    : typeof name === 'string'
      ? name
      : property
        ? textOf(property)
        : '';
};

/** Finds the method names that a file judges: in patterns, prefixes, suffixes, and lists of three or more. */
function knowledgeIn(path: string, code: string): string[] {
  const found: string[] = [];
  for (const node of nodesIn(parseSync(path, code).program)) {
    const { type } = node;
    const { regex } = node as unknown as { regex?: { pattern: string } };
    if (regex && aboutModule.test(regex.pattern)) found.push(`/${regex.pattern}/`);
    if (type === 'CallExpression') {
      const callee = node.callee as Node;
      const [first] = node.arguments as readonly unknown[];
      const called = textOf(callee);
      const isOfName = textOf(callee.object) === 'method' || textOf(first) === 'method';
      if (
        callee.type === 'MemberExpression' &&
        /^(startsWith|endsWith|match|search|test|exec)$/.test(called) &&
        isOfName
      )
        found.push(`${called} of a method`);
      if (called === 'startsWith' && aboutModule.test(textOf(first)))
        found.push(`startsWith ${textOf(first)}`);
    }
    const listed =
      type === 'ArrayExpression'
        ? (node.elements as unknown[]).map(textOf)
        : type === 'ObjectExpression'
          ? (node.properties as Node[]).map(({ key }) => textOf(key))
          : type === 'SwitchStatement'
            ? (node.cases as Node[]).map(({ test }) => textOf(test))
            : [];
    const methodsListed = listed.filter((name) => names.has(name));
    if (methodsListed.length > 2) found.push(`a list of ${methodsListed.join(', ')}`);
  }
  return found.map((each) => `${path}: ${each}`);
}

describe('no file but the table judges a method by its name', () => {
  const sources = new Map(readSources().map(({ path, source }) => [path, source]));
  const files = [...sources.keys()];

  test('in src', () => {
    expect(files.length).toBeGreaterThan(400);
    const read = (path: string) => knowledgeIn(path, readFileSync(sources.get(path) as string, 'utf8'));
    expect(files.filter((path) => !isException(path)).flatMap(read)).toEqual([]);
    // An exception that is not needed any more goes.
    const unneeded = Object.keys(exceptions).filter(
      (start) => !files.some((path) => path.startsWith(start) && read(path).length > 0),
    );
    expect(unneeded).toEqual([]);
  });

  test.each([
    ['const isSend = (method: string) => /^eth_send/.test(method);', 2],
    ['if (/Logs$/.test(asked.method)) isWide = true;', 1],
    ["const isSend = (method: string) => method.startsWith('eth_send');", 2],
    ["const isCount = ({ method }) => method.endsWith('AndIndex');", 1],
    ["const lists = ['eth_call', 'eth_getCode', 'eth_getBalance'];", 1],
    ['const at = { eth_call: 1, eth_getCode: 1, eth_getBalance: 1 };', 1],
    ["await service.request('eth_call', ['eth_call']);", 0],
    ["if (method === 'eth_getLogs') return;", 0],
  ])('%s', (code, count) => {
    expect(knowledgeIn('a.ts', code)).toHaveLength(count);
  });
});

describe('the table', () => {
  test('has one row for each method that is answered, and none besides', () => {
    expectTypeOf<keyof typeof methods>().toEqualTypeOf<MethodName>();
    expectTypeOf<keyof Methods>().toEqualTypeOf<MethodName | keyof typeof unsupportedRows>();
    expect(Object.keys(methods).sort()).toEqual([...methodNames()].sort());
    const rows = [...Object.keys(walletRows), ...Object.keys(nodeRows), ...unsupported.keys()];
    expect(rows.filter((name, i) => rows.indexOf(name) !== i)).toEqual([]);
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'eth_foo'])(
    '%s is an unknown method, of which nothing is known',
    (name) => {
      expect({ ...methodFacts(name) }).toEqual({});
      expect({ ...walletFacts(name) }).toEqual({});
    },
  );

  test('data on Object.prototype is no fact of any method', () => {
    const added = {
      effect: 'send',
      asksPerson: true,
      isOnce: true,
      block: 0,
      check: 'text',
      access: 'account',
    };
    for (const [name, value] of Object.entries(added))
      Object.defineProperty(Object.prototype, name, { value, configurable: true });
    try {
      for (const name of ['net_listening', 'eth_foo', 'constructor']) {
        const { effect, asksPerson: asks, isOnce, block, access } = methodFacts(name);
        expect([effect, asks, isOnce, block, access]).toEqual([
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
        expect([isSend(name), asksPerson(name), mustNotRepeat(name)]).toEqual([false, false, false]);
      }
    } finally {
      for (const name of Object.keys(added)) delete (Object.prototype as Record<string, unknown>)[name];
    }
  });

  test('the rights of a method without a row follow from its name, on the safe side', () => {
    expect(methodFacts('eth_sendBundle')).toMatchObject({ effect: 'send', isOnce: true });
    expect(methodFacts('evm_setTime')).toMatchObject({ effect: 'develop', isOnce: true });
    expect(
      ['eth_submitShare', 'eth_newThing', 'personal_new', 'mnr_submitX'].filter(mustNotRepeat),
    ).toHaveLength(4);
    expect(['eth_signFoo', 'wallet_requestFoo'].filter(asksPerson)).toHaveLength(2);
  });

  test('a method that changes something, or begins to follow, is never repeated', () => {
    const acting = knownMethods.filter((name) => {
      const { effect, follows } = methodFacts(name);
      return (
        effect !== undefined &&
        effect !== 'execute' &&
        follows !== 'subscription' &&
        !name.startsWith('wallet_')
      );
    });
    expect(acting.length).toBeGreaterThan(8);
    expect(acting.filter((name) => !mustNotRepeat(name))).toEqual([]);
  });
});
