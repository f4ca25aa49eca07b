import type { Kind } from './kind.js';

/** Kinds that a developer meets before a person sees a wallet. */
export const frameworks: readonly Kind[] = [
  {
    id: 'hydration',
    reported:
      'A page that is rendered on the server with wagmi has a hydration error at a reload: the browser is connected, the server’s HTML is not.',
    graft:
      'While wagmi reconnects, the connector answers once the page is idle, so the page has hydrated before it is connected.',
    threads: {
      'https://github.com/wevm/wagmi/issues/542':
        '[bug] using WAGMI with SSR (Next JS) is causing styling issues',
      'https://github.com/wevm/wagmi/issues/710': '[bug] Hydration Error with React 18 and Next 12',
      'https://github.com/wevm/wagmi/issues/1739': 'bug: Hydration errors on Next.js',
      'https://github.com/wevm/wagmi/issues/2002':
        'bug: <Error: Hydration failed because the initial UI does not match what was rendered on the server.>',
    },
    tests: [
      {
        file: 'test/unit/adapters/wagmi.hydration.test.ts',
        title: 'a page is reconnecting until its framework has hydrated it, then connected',
      },
      { file: 'test/matrix/frameworks.test.ts', title: '$title: a production build pays' },
    ],
  },
  {
    id: 'mixed-versions',
    reported:
      'A build for a server mixes two versions of `@noble/hashes`, and the deployed page fails although the build was fine.',
    graft: 'The package imports no other but peers: what it needs is inside its files.',
    threads: {
      'https://github.com/better-auth-ui/better-auth-ui/issues/205':
        'Better Auth uses @noble/hashes@2.0.0 while better-auth-ui uses @noble/hashes@1.8.0',
      'https://github.com/ethaccount/vue-dapp/issues/163':
        'build runtime fail: resolutions for @noble/hashes',
    },
    tests: [
      {
        file: 'test/matrix/package.test.ts',
        title: 'the files of $name import no package but peers and dependencies',
      },
      { file: 'test/matrix/frameworks.test.ts', title: '$title: a production build pays' },
    ],
  },
  {
    id: 'jest',
    reported: 'Jest cannot load a package that has ES modules only: “Must use import to load ES Module”.',
    graft:
      'The package has ES modules alone: Vitest runs it, Jest does not, and the guide to frameworks says so.',
    threads: {
      'https://github.com/wevm/wagmi/issues/1284':
        'bug: error to test with jest a module that integrate wagmi',
      'https://github.com/wevm/wagmi/issues/2467':
        'next.js MockConnector SyntaxError: Cannot use import statement outside a module',
      'https://github.com/wevm/wagmi/issues/2640': 'bug: Cannot use import statement outside a module',
      'https://github.com/molefrog/wouter/issues/415': 'How to use V3 with Jest?',
    },
    tests: [
      {
        file: 'test/matrix/package.test.ts',
        title: 'types of $name resolve in every way (attw)',
      },
      {
        file: 'test/e2e/browser/playwright/vitest.test.ts',
        title: "Vitest's browser mode runs the guide's project, and fails where another question was asked",
      },
    ],
  },
  {
    id: 'parts-that-cannot-load',
    reported:
      'In a service worker, or in a page that was opened as a file, parts of a library cannot be imported, and no message says what to do.',
    graft: 'The error says which of these it is and what to do, and keeps its cause.',
    threads: {
      'https://github.com/buildonspark/spark/issues/133':
        '@buildonspark/spark-sdk in MV3 service worker crashes with `import() is disallowed on ServiceWorkerGlobalScope`',
      'https://github.com/ShravanSunder/hnswlib-wasm/issues/8':
        'import() is disallowed on ServiceWorkerGlobalScope by the HTML specification.',
      'https://github.com/mdn/js-examples/issues/14': 'The module example fails due to CORS',
      'https://github.com/oseiskar/black-hole/issues/10': 'No longer works',
    },
    tests: [
      { file: 'test/unit/rpc/not-loaded.test.ts', title: 'is an opened file’s where the page is one (%s)' },
      { file: 'test/unit/rpc/not-loaded.test.ts', title: 'is a service worker’s where it is one (%s)' },
    ],
  },
];
