/** Tests whose expectation a relay does not meet, by the end of their names, and why it should not. */
export const differences: readonly (readonly [name: string, reason: string])[] = [
  [
    'eth_call at an unknown number is an error (docs/notes/node.md#unknown-blocks)',
    'A result that is none, of a service as its description has it, is refused before a wallet would refuse it.',
  ],
  ['eth_call at an unknown hash is an error (docs/notes/node.md#unknown-blocks)', 'The same.'],
  ['an unknown block is an error (docs/notes/node.md#unknown-blocks)', 'The same.'],
  [
    'the time limit replaces the whole reply (docs/notes/node.md#errors-without-an-id)',
    'A relay answers with the id of the request; the error is the same.',
  ],
  ['the size limit replaces the whole reply (docs/notes/node.md#errors-without-an-id)', 'The same.'],
  [
    'HTTP 400 with a page for people (docs/notes/node.md#http-status)',
    'What is no JSON-RPC is answered as a service that is not available: 503.',
  ],
  [
    'eth_subscribe works although the service lacks it over HTTP (docs/notes/node.md#push)',
    'A relay has it, over WebSocket, and says so.',
  ],
  [
    'nothing is signed for a service whose eth_chainId is wrong (docs/notes/node.md#where-the-node-differs-from-the-description)',
    'Nothing is signed here either: a relay answers nothing for a service of another chain, with -32002 where the wallet has 4901.',
  ],
  [
    'EIP-1193 (7) disconnected is 4900, another chain than the active one 4901',
    'The test cuts the service off, and the relay can still be reached.',
  ],
  [
    'the tokens of the list and those that are watched, in one HTTP request where there are batches',
    'Of a batch, each request goes to the service by itself, so that equal ones are shared.',
  ],
  [
    'docs/clients.md holds the counts of this run',
    'Requests to a service that is down are repeated by the relay as by the wallet, but after a while by neither.',
  ],
];
