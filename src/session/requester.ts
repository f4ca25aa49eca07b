import type { QuestionNetwork } from '../approvals/question.js';
import type { Address } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from './session.js';

/** The origin, account and chain that a signature is requested for, as they were when the request arrived. */
export interface Requester {
  readonly origin: string;
  readonly account: SessionAccount;
  /** All addresses of the wallet. */
  readonly ownAddresses: readonly Address[];
  readonly network: QuestionNetwork;
  /** The service of that network. */
  readonly service: Service;
  readonly signal?: AbortSignal | undefined;
  /** Whether the origin may still use the account; checked after the person has answered. */
  readonly stillAllowed: () => boolean;
}
