import { errorCode } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';

export type Trouble =
  | 'unreachable'
  | 'late'
  | 'aborted'
  | 'redirect'
  /** An HTTP error status without a JSON-RPC error. */
  | 'status'
  | 'not-json'
  | 'nested'
  | 'too-large'
  /** JSON, but not a valid reply to the request. */
  | 'broken'
  /** An error without a code, so not of JSON-RPC: its text is the service's. */
  | 'uncoded';

/** The cause for programs: `error.data.reason`. */
export type Reason =
  | Trouble
  | 'refused'
  | 'rate'
  | 'quota'
  | 'timeout'
  | 'range-too-large'
  | 'filter-not-found'
  | 'method-not-found'
  | 'already-known'
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'insufficient-funds'
  | 'replacement-underpriced'
  | 'underpriced'
  | 'overpriced'
  | 'gas-too-low'
  | 'gas-too-high'
  | 'invalid-transaction'
  | 'unclear'
  | 'account-quota'
  | 'offline'
  | 'in-flight'
  | 'wrong-chain'
  | 'behind'
  | 'circuit-open';

/** One row of the table: it matches if all its conditions hold. The first matching row decides. */
export interface FaultRow {
  readonly trouble?: Trouble | undefined;
  readonly status?: RegExp | undefined;
  /** `any`: the reply has an error, so the text is the service's. */
  readonly code?: readonly number[] | 'any' | undefined;
  readonly method?: string | undefined;
  /** The methods: those that send, all others, those that read logs of a range, or those that read or filter any range. */
  readonly on?: 'send' | 'other' | 'logs' | 'ranges' | undefined;
  readonly text?: RegExp | undefined;
  /** Matches `text` against the error's data too. */
  readonly detail?: true | undefined;
  /** The code the caller sees. */
  readonly becomes: number;
  /** The message: `@` stands for the method, `$` for the service's text. Default: the service's text. */
  readonly message?: string | undefined;
  readonly reason?: Reason | undefined;
  /** `again`: the same endpoint may succeed later. `elsewhere`: only another endpoint may. */
  readonly retry?: 'again' | 'elsewhere' | undefined;
  /** The service may have executed the request. */
  readonly unclear?: true | undefined;
}

const { executionReverted, transactionRejected, limitExceeded, resourceUnavailable, internal } = errorCode;
const { methodNotFound, resourceNotFound, unsupportedMethod, parseError } = errorCode;
/** HTTP statuses of a node's own refusals; others come from a gateway before the node. */
export const judged = /^(200|400|undefined)$/;
/** The details that nodes add to a refusal: figures and their names, nothing else. A gateway's sentence has other words. */
const figures =
  '[:,]([ ,:.<=>%+()-]|\\b(0x[\\da-f]+|\\d+|address|have|want|balance|account|cumulative|cost|overshot|next|current|nonce|of|rejected|tx|state|gas|tip|cap|fee|needed|minimum|permitted|queued|pending|new|replacement|penalty|maxFeePerGas|baseFee|effectivePriorityFeePerGas|too|low|size|limit|is|less|than|sending|value|transaction|code|expected|max)\\b)*';
/** The whole text of a node's refusal, with or without figures behind it. */
const refusal = (words: RegExp) => new RegExp(`^(${words.source})(${figures})?$`, 'i');
/** Texts for a range of blocks, or a number of logs, that is too large for one request. */
const tooMuch =
  /^(?!.*(beyond|the future|invalid block range|out of range)).*(\branges?\b|more than \d|too (large|many|wide|big|high|long)|(not|be) greater than \d|limited to|up to an? |(size|limit|max(imum)?).*exceed|exceed.*(limit|max|blocks|results|logs)|(max(imum)?|over|at most) .*\bblocks\b|blocks at once)/i;
/** Texts for a method that the service does not have, or not in this plan. */
const lacksMethod =
  /^unsupported method|\bmethod\b.{0,60}(\bnot|n't|\/is not) (exist|found|available|supported|allowed|enabled|whitelisted)|\bmethod\b.{0,60}\b(unsupported|unavailable|disabled)|not (available|supported|included|allowed) (on|in|for|with) (your|this|the) .*\b(plan|tier)/i;
/** geth's message, which ethers recognises. */
const noMethod = 'The method @ does not exist / is not available';
const rateLimit = 'The service limits the rate of requests';
const perSecond =
  /too many (concurrent )?(requests|connections|calls)|rate.?limit|throttl|(requests?|capacity|units|credits|calls)\b.* (per |to \d+\/)s(ec(ond)?)?\b|\/ ?second\b|\b[rt]ps limit|request limit (reached|exceeded)|request rate exceeded|(compute unit|network traffic|bandwidth|concurrency) limit/i;
const spent =
  /capacity limit exceeded|(daily|monthly).*(limit|quota|count|credits)|(request|credit|unit|usage|plan)s? quota|usage limit|\b(ran )?out of (credits|cu|compute units|requests)\b/i;
/** Texts of gateways about the key. A send keeps its own, stricter row: another text proves nothing about it. */
const badKey =
  /^(must be|invalid|un)authenticat|authentication (failed|required|credentials)|must authenticate|^unauthori[sz]ed|(invalid|unknown|missing|expired|no) (access|api|project).?(key|token|id)\b|(api.?key|access.?key|project.?id) (is )?(invalid|not (valid|found|allowed)|required|missing|disabled|expired|revoked|blocked)|^invalid authentication/i;
/** Texts of gateways whose nodes do not answer. */
const noNode =
  /\btemporar(y|ily) .*(error|failure|unavailable)|please (re)?try|no (available|healthy) (server|backend|upstream|node)|no backend (is|available)|upstream connect error|^(the )?service (is )?(temporarily )?unavailable|^bad gateway|^gateway time-?out/i;

/**
 * The error that the caller gets for each failure of the service (docs/notes/clients.md#error-codes,
 * docs/notes/node.md#replies, bad-inputs.json). The first matching row decides: known texts come before HTTP statuses,
 * and these before codes.
 *
 * Libraries act on codes. A refused transaction is never -32603, -32602, -32601, -32000 or 3, because each makes some
 * library send it again. The codes 4001 to 4902 and -32002 never come from the service. A send becomes -32003 only with
 * one of the listed texts: any other reply may come from a gateway after the node accepted the transaction, and a
 * person who sent it again would pay twice.
 */
// biome-ignore format: one row, one line
const rows: readonly FaultRow[] = [
  // There is no valid JSON-RPC reply.
  { trouble: 'unreachable', becomes: resourceUnavailable, message: 'The service could not be reached', retry: 'again', unclear: true },
  { trouble: 'late', becomes: resourceUnavailable, message: 'The service did not answer within $ ms', retry: 'again', unclear: true },
  { trouble: 'aborted', becomes: internal, message: 'The request was aborted', unclear: true },
  { trouble: 'redirect', becomes: resourceUnavailable, message: 'The service answered with a redirect, which is not followed', retry: 'elsewhere' },
  { trouble: 'too-large', becomes: limitExceeded, message: "The service's reply is larger than $ bytes", unclear: true },
  { trouble: 'nested', becomes: parseError, message: "The service's reply is nested too deeply", retry: 'elsewhere', unclear: true },
  { trouble: 'not-json', becomes: parseError, message: "The service's reply is not JSON", retry: 'again', unclear: true },
  { trouble: 'broken', on: 'send', becomes: resourceUnavailable, message: "The service's reply to @ is wrong: $", unclear: true },
  { trouble: 'broken', text: /^(not an object|it has neither|no answer of the batch)/, becomes: internal, message: "The service's reply to @ is wrong: $", retry: 'again' },
  { trouble: 'broken', becomes: internal, message: "The service's reply to @ is wrong: $", retry: 'elsewhere' },

  // Reverts: the node's code, geth's code, and the texts of services without either. For a send they prove nothing: a
  // development node answers with a revert although it has mined the transaction.
  { on: 'other', code: [-32015, 3], becomes: executionReverted },
  { on: 'other', code: 'any', text: /^(Error: )?(execution reverted|VM Exception while processing transaction: \S*\s?revert)/i, becomes: executionReverted },

  // Refused transactions: the complete texts of the node, geth and Nethermind, translated to geth's. Only these rows
  // mark a signed transaction as refused. Gateways have similar texts ("insufficient balance of credits"), so the whole
  // text must match, and the HTTP status must not be a gateway's.
  { on: 'send', status: judged, text: refusal(/(pending|queued) transaction with same hash already exists|already known|AlreadyKnown|known transaction: \w+|transaction with the same hash was already imported\.?/), becomes: transactionRejected, message: 'already known', reason: 'already-known' },
  { on: 'send', status: judged, text: refusal(/(transaction )?nonce (is )?too low|OldNonce/), becomes: transactionRejected, message: 'nonce too low', reason: 'nonce-too-low' },
  { on: 'send', status: judged, text: refusal(/(transaction )?nonce (is )?too high|NonceGap/), becomes: transactionRejected, message: 'nonce too high', reason: 'nonce-too-high' },
  { on: 'send', status: judged, text: refusal(/insufficient funds( for (gas \* price \+ value|transfer)| to pay for pending and new transactions)?|the sender account doesn't exist|upfront cost exceeds account balance|InsufficientFunds/), becomes: transactionRejected, message: 'insufficient funds for gas * price + value', reason: 'insufficient-funds' },
  { on: 'send', status: judged, text: refusal(/gas price not enough to bump transaction|replacement transaction underpriced|transaction gas price is too low\. there is another transaction with same nonce in the queue\.?|ReplacementNotAllowed/), becomes: transactionRejected, message: 'replacement transaction underpriced', reason: 'replacement-underpriced' },
  { on: 'send', status: judged, text: refusal(/transaction's gas price lower than block's minimum|transaction underpriced|max fee per gas less than block base fee|FeeTooLow/), becomes: transactionRejected, message: "max fee per gas less than block base fee: gas price lower than the block's minimum", reason: 'underpriced' },
  { on: 'send', status: judged, text: refusal(/transaction's gas price exceeds cap|tx fee \([^)]*\) exceeds the configured cap \([^)]*\)/), becomes: transactionRejected, message: 'max fee per gas higher than allowed: gas price exceeds cap', reason: 'overpriced' },
  { on: 'send', status: judged, text: refusal(/transaction's basic cost is above the gas limit|intrinsic gas too low/), becomes: transactionRejected, message: 'intrinsic gas too low', reason: 'gas-too-low' },
  { on: 'send', status: judged, text: refusal(/transaction's gas limit of \d+ is higher than the block's gas limit of \d+|exceeds block gas limit|GasLimitExceeded/), becomes: transactionRejected, message: 'exceeds block gas limit', reason: 'gas-too-high' },
  { on: 'send', status: judged, text: refusal(/the sender account is deleted|transaction's (init code size is invalid|size is higher than defined maximum: \d+ > \d+)|transaction nonce (has non-canonical encoding|byte length exceeds maximum: \d+ > \d+)|oversized data|max initcode size exceeded/), becomes: transactionRejected, reason: 'invalid-transaction' },
  { on: 'send', status: judged, text: /^account exceeds quota$/i, becomes: limitExceeded, reason: 'account-quota' },
  { method: 'eth_estimateGas', text: /insufficient ?(funds|balance)|sender account doesn't exist|(cost|value) exceeds (account |transaction sender account )?balance/i, becomes: transactionRejected, message: 'insufficient funds for gas * price + value', reason: 'insufficient-funds' },

  // Rate limits and quotas; some give their status to a range that is too wide.
  { on: 'logs', status: /429/, text: /\bblock range\b|more than \d+ (block|log|result)s/i, becomes: limitExceeded, reason: 'range-too-large' },
  { text: spent, becomes: limitExceeded, reason: 'quota', retry: 'elsewhere' },
  { status: /429/, becomes: limitExceeded, message: rateLimit, reason: 'rate', retry: 'again' },
  { code: [429], becomes: limitExceeded, message: rateLimit, reason: 'rate', retry: 'again' },
  { text: perSecond, becomes: limitExceeded, message: rateLimit, reason: 'rate', retry: 'again' },

  // Errors of gateways for reads, at any HTTP status: a temporary failure, a range that is too wide, a missing method,
  // a refused key. Some put an HTTP status in the place of the code.
  { on: 'other', code: [19, 502, 503, 504], becomes: resourceUnavailable, message: 'The service is not available: $', reason: 'status', retry: 'again' },
  { on: 'other', code: [30], becomes: limitExceeded, message: 'timeout: $', reason: 'timeout', retry: 'again' },
  { on: 'other', code: 'any', text: noNode, becomes: resourceUnavailable, message: 'The service is not available: $', reason: 'status', retry: 'again' },
  { on: 'logs', code: 'any', text: lacksMethod, becomes: methodNotFound, message: noMethod, reason: 'method-not-found', retry: 'elsewhere' },
  { on: 'ranges', code: 'any', text: tooMuch, detail: true, becomes: limitExceeded, reason: 'range-too-large' },
  { on: 'other', code: 'any', text: lacksMethod, becomes: methodNotFound, message: noMethod, reason: 'method-not-found' },
  { status: /401|402|403|407/, becomes: resourceUnavailable, message: 'The service refused us: $', reason: 'refused', retry: 'elsewhere' },
  { on: 'other', code: [401, 402, 403, 407], becomes: resourceUnavailable, message: 'The service refused us: $', reason: 'refused', retry: 'elsewhere' },
  { text: /^must be authenticated|^(invalid|unknown) (access|api).?key|^app is inactive|^origin not on whitelist|^unauthorized/i, becomes: resourceUnavailable, reason: 'refused', retry: 'elsewhere' },
  { on: 'other', code: 'any', text: badKey, becomes: resourceUnavailable, reason: 'refused', retry: 'elsewhere' },
  { trouble: 'status', status: /404|410|451/, becomes: resourceUnavailable, message: 'The service does not have this path', reason: 'refused', retry: 'elsewhere' },
  { status: /413/, becomes: limitExceeded, message: 'The request is too large for the service', reason: 'too-large' },
  { trouble: 'status', status: /408|425|^5(?!01)/, becomes: resourceUnavailable, message: 'The service is not available', retry: 'again', unclear: true },
  { status: /^5/, code: [-32000, -32603], becomes: resourceUnavailable, message: 'The service is not available: $', reason: 'status', retry: 'again', unclear: true },
  { text: /^unable to complete request/i, becomes: resourceUnavailable, reason: 'status', retry: 'again', unclear: true },
  { trouble: 'status', on: 'send', status: /./, becomes: resourceUnavailable, message: 'The service does not accept this request', retry: 'elsewhere' },
  { trouble: 'status', status: /415|501/, becomes: resourceUnavailable, message: 'The service does not accept this request', retry: 'elsewhere' },
  { trouble: 'status', status: /./, becomes: internal, message: 'The service does not accept this request', retry: 'elsewhere' },

  // Limits of the node, the gateway and other providers (docs/notes/node.md#limits-of-one-request).
  { code: [-32011], text: /size limit/i, becomes: limitExceeded, reason: 'too-large', unclear: true },
  { code: [-32011], text: /time/i, becomes: limitExceeded, message: 'timeout: the service stopped at its time limit', reason: 'timeout', unclear: true },
  { code: [-32012], becomes: limitExceeded, reason: 'range-too-large' },
  { on: 'other', code: 'any', text: /\btimed? ?-?out\b|deadline exceeded/i, becomes: limitExceeded, message: 'timeout: $', reason: 'timeout', retry: 'elsewhere' },
  { code: [-32005], becomes: limitExceeded },

  // After any other reply to a send it is unknown whether a node accepted the transaction.
  { on: 'send', becomes: resourceUnavailable, message: 'The service gave no clear answer to @: $', reason: 'unclear', unclear: true },

  { trouble: 'uncoded', becomes: internal, message: 'The service failed with an error that has no code: $', reason: 'broken', retry: 'elsewhere' },

  // Not found or not allowed.
  { text: /^filter not found/i, becomes: errorCode.invalidInput, reason: 'filter-not-found' },
  { code: [-32600, -32000], text: /\b(block|header|state)\b.*(not found|not canonical|not available)|^unknown block|^missing trie node/i, becomes: resourceNotFound },
  { code: [-32602], text: /^invalid block number/i, becomes: resourceNotFound },
  { code: [-32602, -32000], on: 'logs', text: /beyond (the )?(current |latest )?(head|block)|blocks? .*cannot be found|in(to)? the future/i, becomes: resourceNotFound },
  { code: [-32602], method: 'eth_getCode', text: /^invalid block input/i, becomes: resourceNotFound },
  { code: [-32001], becomes: resourceNotFound },
  { code: [-32604], becomes: unsupportedMethod },
  { code: [-32602], text: /wallet is disabled/i, becomes: unsupportedMethod },
  { code: [-32201], becomes: methodNotFound, message: 'The method is not available: $' },
  // The service refuses these params, not the method.
  { code: [-32004, -32601], text: /param|argument|\b(block|tag|pending|range)\b/i, becomes: methodNotFound },
  { on: 'logs', code: [-32004, -32601], becomes: methodNotFound, message: noMethod, reason: 'method-not-found', retry: 'elsewhere' },
  { code: [-32004, -32601], becomes: methodNotFound, message: noMethod, reason: 'method-not-found' },

  // The rest: the codes of EIP-1474 are kept, everything else is an internal error.
  { code: [-32010, -32003], becomes: transactionRejected },
  { code: [-32700], becomes: parseError },
  { code: [-32600], becomes: errorCode.invalidRequest },
  { code: [-32602], becomes: errorCode.invalidParams },
  { code: [-32000], becomes: errorCode.invalidInput },
  { code: [-32603], becomes: internal },
  { becomes: internal, message: 'The service failed: $' },
];

/** The rows without a prototype: most conditions are absent. */
export const faultTable: readonly FaultRow[] = rows.map((row) => own(row));
