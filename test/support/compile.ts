import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const folder = new URL('../../demo/dapp/contracts/', import.meta.url);
const source = new URL('Token.sol', folder);

/** Where the compiled token of the demo is kept: written by running this file, compared by a test. */
export const artifact = fileURLToPath(new URL('token.ts', folder));

/** The text of {@link artifact}. The EVM version is one without `PUSH0`, which older nodes do not have. */
export function compileToken(): string {
  const input = {
    language: 'Solidity',
    sources: { 'Token.sol': { content: readFileSync(source, 'utf8') } },
    settings: {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (output.errors?.length) throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'));
  const { bytecode, methodIdentifiers } = output.contracts['Token.sol'].Token.evm;
  const selector = (signature: string) => `'0x${methodIdentifiers[signature]}'`;
  return [
    '// Made from Token.sol by `tsx test/support/compile.ts`.',
    '',
    '/** Init code; the supply (uint256) is appended to it. */',
    `export const tokenCode =\n  '0x${bytecode.object}';`,
    '',
    '/** The first four bytes of a call. */',
    'export const tokenSelectors = {',
    `  balanceOf: ${selector('balanceOf(address)')},`,
    `  transfer: ${selector('transfer(address,uint256)')},`,
    `  symbol: ${selector('symbol()')},`,
    '} as const;',
    '',
  ].join('\n');
}

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: {
    readonly 'Token.sol': {
      readonly Token: {
        readonly evm: {
          readonly bytecode: { readonly object: string };
          readonly methodIdentifiers: Readonly<Record<string, string>>;
        };
      };
    };
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(artifact, compileToken());
