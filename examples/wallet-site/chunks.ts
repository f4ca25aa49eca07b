const source = (...paths: readonly string[]): RegExp => new RegExp(`/src/(${paths.join('|')})\\.ts$`);

/**
 * The files that the documents share, each with what its modules import, unless an earlier one has that. A browser takes more
 * time for a hundred small files than for a few, also from its cache.
 */
export const chunks = [
  // What a document needs at once.
  { name: 'preload', test: /preload-helper/ },
  { name: 'shell', test: source('wallet/wallet') },
  { name: 'configuration', test: source('site/configuration') },
  { name: 'host', test: source('bridge/host') },
  { name: 'ui', test: source('ui/index') },
  // Reads, and the storage of keys and transactions.
  { name: 'core', test: source('wallet/core', 'service/rate-limit/limiter', 'storage/idb') },
  // What signs, or asks for it, wherever that is.
  {
    name: 'signing',
    test: source(
      'methods/sign',
      'methods/submit',
      'approvals/approvals',
      'wallet/(signing|owner-functions)',
      'signatures/signatures',
      'keyring/(sign|shared-unlock|vault/access)',
    ),
  },
  // A payment loads this besides.
  { name: 'payment', test: source('transactions/(transactions|approve-and-sign|dispatch)') },
  // What a question in the wallet's window needs besides: see src/bridge/preload.ts.
  {
    name: 'asking',
    test: source(
      'bridge/(answer-offers|window-approver)',
      'ui/dialog/dialog',
      'ui/styles/details',
      'ui/dialog/views/(transaction|message|typed-data)',
    ),
  },
].map((chunk, index, { length }) => ({ ...chunk, priority: length - index }));
