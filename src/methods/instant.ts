import { noParams } from '../rpc/message.js';
import type { Address, Hex } from '../rpc/schema.js';
import { instantAnswers } from './instant-answers.js';
import { method } from './method.js';

/** Methods that the session answers; mostly the shell does so itself. */

export const eth_accounts = method<[], readonly Address[]>()(noParams, {
  handle: instantAnswers.eth_accounts,
});

export const eth_chainId = method<[], Hex>()(noParams, {
  handle: instantAnswers.eth_chainId,
});

export const net_version = method<[], string>()(noParams, {
  handle: instantAnswers.net_version,
});
