import { noParams } from '../rpc/message.js';
import type { Address, Hex } from '../rpc/schema.js';
import { instantAnswers } from './instant-answers.js';
import { method } from './method.js';

/** Methods that the session answers; mostly the shell does so itself. */

export const eth_accounts = method<[], readonly Address[]>()(noParams, instantAnswers.eth_accounts);

export const eth_chainId = method<[], Hex>()(noParams, instantAnswers.eth_chainId);

export const net_version = method<[], string>()(noParams, instantAnswers.net_version);
