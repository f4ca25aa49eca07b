/** What the examples of the documentation use without declaring it, and its type. docs/index.md has the same table. */
export const given = {
  wallet: "import('graft-wallet').Wallet",
  bridge: "import('graft-wallet/bridge').Bridge",
  page: "import('playwright-core').Page",
  chain: "import('graft-kit/playwright').TestChain",
  questions: "import('graft-kit/testing').TestQuestions",
  service: "import('graft-kit/local').LocalService",
  networks: "import('graft-wallet').NetworkOptions[]",
  account: "import('graft-wallet').Address",
  recipient: "import('graft-wallet').Address",
  token: "import('graft-wallet').Address",
  hash: "import('graft-wallet').Hash",
  mnemonic: 'string',
  privateKey: 'string',
  abi: "import('graft-wallet').AbiItem[]",
  file: 'File',
  element: 'HTMLElement',
  button: 'HTMLButtonElement',
} as const;

/** A declaration of all of them, as the head of a module. */
export const givenDeclaration = `export {};
declare global {
${Object.entries(given)
  .map(([name, type]) => `  const ${name}: ${type};`)
  .join('\n')}
}
`;
