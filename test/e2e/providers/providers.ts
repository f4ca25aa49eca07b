import type { Dialect } from '../../../packages/kit/src/local/index.js';
import type { GatewayAnswer } from '../../support/gateway.js';

/** Replies of Rootstock services, as documented or recorded. */

/** The situations, in the order of the page. */
export const situations = [
  'range',
  'no-logs',
  'rate',
  'quota',
  'timeout',
  'moment',
  'key',
  'revert',
  'method',
  'block',
  'funds',
  'nonce',
  'accepted',
] as const;
export type SituationName = (typeof situations)[number];

export interface Answer extends GatewayAnswer {
  /** For `range`: the maximum number of blocks per query. */
  readonly blocks?: number;
  /** The source of the reply, and what is not known of it. */
  readonly note?: string;
}

/** Where a reply comes from. */
export type Known =
  | Answer
  /** The reply of the local service in this dialect. */
  | { readonly itself: true; readonly note?: string }
  /** The situation does not exist at this provider. */
  | { readonly none: string };

export interface Provider {
  readonly name: string;
  /** The dialect of the local service behind the gateway. */
  readonly dialect: Dialect;
  /** A missing situation is unknown. */
  readonly answers: { readonly [name in SituationName]?: Known | readonly Known[] };
}

const assumed = 'assumed: the description shows no answer';
const general = 'documented for the provider, not for Rootstock';
const absent = 'the method eth_getLogs does not exist/is not available';

// biome-ignore format: one answer, one line
export const providers: readonly Provider[] = [
  {
    name: 'Seed',
    dialect: 'seed',
    answers: {
      range: { code: -32012, message: 'Cannot query more than 2000 blocks at once', blocks: 2_000, note: 'the limit is described, the answer is assumed' },
      'no-logs': { none: 'it has eth_getLogs' },
      quota: { status: 429, code: 429, message: 'Your app has exceeded its daily request limit.', note: assumed },
      key: { status: 401, code: -32600, message: 'Invalid access key', note: assumed },
      revert: { itself: true },
      block: { itself: true },
    },
  },
  {
    name: 'RSKj',
    dialect: 'node',
    answers: {
      range: { code: -32012, message: 'Cannot query more than 5000 blocks at once', blocks: 5_000 },
      'no-logs': { code: -32601, message: absent, note: 'where its operator has switched the method off' },
      rate: { none: 'a bare node has no limit' },
      quota: { none: 'a bare node has no limit' },
      timeout: { code: -32011, message: 'Execution has got timeout out.', bare: true },
      key: { none: 'a bare node has no keys' },
      revert: { itself: true },
      method: { itself: true },
      block: { itself: true },
      funds: { code: -32010, message: 'insufficient funds' },
      nonce: { code: -32010, message: 'transaction nonce too low' },
      accepted: [
        { code: -32011, message: 'Execution has got timeout out.', bare: true, processed: true },
        { code: -32009, message: "Unknown error when sending transaction: transaction wasn't mined", processed: true, note: 'a development node that mines at once' },
      ],
    },
  },
  {
    name: 'Alchemy',
    dialect: 'node',
    answers: {
      range: { status: 400, code: -32600, message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x0, 0x9]', blocks: 10, note: 'free plan; the block range it proposes varies' },
      'no-logs': { none: 'it has eth_getLogs' },
      rate: { status: 429, code: 429, message: 'Your app has exceeded its compute units per second capacity.', note: general },
      quota: { status: 403, code: -32600, message: 'Monthly capacity limit exceeded.', note: general },
      timeout: { status: 503, code: -32000, message: 'Unable to complete request at this time.', note: general },
      key: [
        { status: 401, code: -32600, message: 'Must be authenticated!', note: general },
        { status: 403, code: -32600, message: 'App is inactive.', note: general },
      ],
      revert: { code: 3, message: 'execution reverted', note: `${general}: whether the node’s -32015 is rewritten is not known` },
      method: { code: -32601, message: 'Unsupported method: eth_getProof.', note: general },
      accepted: { status: 503, code: -32000, message: 'Unable to complete request at this time.', processed: true, note: general },
    },
  },
  {
    name: 'dRPC',
    dialect: 'node',
    answers: {
      range: { status: 400, code: 35, message: 'ranges over 10000 blocks are not supported on freetier', blocks: 10_000, note: 'free tier; the HTTP status is not known' },
      'no-logs': { status: 400, code: -32601, message: absent, note: 'free tier; the code is not known' },
      timeout: { status: 408, code: 30, message: 'Request timeout on the free tier, please upgrade your tier to paid plans', note: 'HTTP 402 too' },
      moment: { status: 500, code: 19, message: 'Temporary internal error. Please retry', note: 'HTTP 200 too' },
      accepted: [
        { status: 408, code: 30, message: 'Request timeout on the free tier, please upgrade your tier to paid plans', processed: true },
        { status: 500, code: 19, message: 'Temporary internal error. Please retry', processed: true },
      ],
    },
  },
  {
    name: 'Tatum',
    dialect: 'node',
    answers: {
      range: { code: -32000, message: 'Requested range is over limit of 100', blocks: 100, note: 'the code is not known' },
      'no-logs': { code: -32601, message: absent, note: 'within its range; the code is not known' },
    },
  },
  { name: 'GetBlock', dialect: 'node', answers: {} },
  {
    name: 'public-node',
    dialect: 'node',
    answers: {
      'no-logs': { code: -32601, message: absent, note: 'the code is not known' },
      rate: { status: 429, note: '300 requests a minute, then a minute’s pause (2022); the body is not known' },
      key: { none: 'it takes no keys' },
    },
  },
];
