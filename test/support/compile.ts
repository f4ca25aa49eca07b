import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';

const demo = new URL('../../demo/dapp/contracts/', import.meta.url);
const clients = new URL('../e2e/clients/', import.meta.url);
const contracts = new URL('contracts/', import.meta.url);
const tour = new URL('../../examples/knights-tour/', import.meta.url);

/** The file with the compiled contracts, which running this module writes and tests compare. */
export const artifact = fileURLToPath(new URL('token.ts', demo));
export const reverterArtifact = fileURLToPath(new URL('reverter.generated.ts', clients));
export const tourArtifact = fileURLToPath(new URL('bytecode.js', tour));
export const factoryArtifact = fileURLToPath(new URL('factory.generated.ts', contracts));

/** The text of {@link artifact}. */
export function compileToken(): string {
  const { bytecode, methodIdentifiers } = compile(new URL('Token.sol', demo), 'Token').evm;
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

/** The text of {@link reverterArtifact}. */
export function compileReverter(): string {
  const { abi, evm } = compile(new URL('Reverter.sol', clients), 'Reverter');
  return [
    '// Made from Reverter.sol by `tsx test/support/compile.ts`.',
    '',
    `export const reverterCode =\n  '0x${evm.bytecode.object}';`,
    '',
    `export const reverterAbi = ${JSON.stringify(abi, null, 2)} as const;`,
    '',
  ].join('\n');
}

/** The text of {@link factoryArtifact}. */
export function compileFactory(): string {
  const of = (name: string) => compile(new URL('Factory.sol', contracts), name);
  const code = (name: string) => `'0x${of(name).evm.bytecode.object}'`;
  return [
    '// Made from Factory.sol by `tsx test/support/compile.ts`.',
    '',
    `export const factoryCode =\n  ${code('Factory')};`,
    '',
    '/** Init code; a number (uint256) is appended to it. */',
    `export const kidCode =\n  ${code('Kid')};`,
    '',
    '/** Its constructor creates a contract. */',
    `export const bornWithKidCode =\n  ${code('BornWithKid')};`,
    '',
    `export const factoryAbi = ${JSON.stringify(of('Factory').abi, null, 2)} as const;`,
    '',
  ].join('\n');
}

/** The text of {@link tourArtifact}. */
export function compileTour(): string {
  const { evm } = compile(new URL('KnightsTour.sol', tour), 'KnightsTour');
  return [
    '/** Made from KnightsTour.sol. */',
    `export const bytecode =\n  '0x${evm.bytecode.object}';`,
    '',
  ].join('\n');
}

/** The EVM version is one without `PUSH0`, which older nodes do not have. */
function compile(source: URL, name: string): Compiled {
  const file = basename(source.pathname);
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(source, 'utf8') } },
    settings: {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (output.errors?.length) throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'));
  return output.contracts[file]?.[name] as Compiled;
}

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
}

interface Compiled {
  readonly abi: unknown;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly methodIdentifiers: Readonly<Record<string, string>>;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(artifact, compileToken());
  writeFileSync(reverterArtifact, compileReverter());
  writeFileSync(factoryArtifact, compileFactory());
  writeFileSync(tourArtifact, compileTour());
}
