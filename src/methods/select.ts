import { noParams } from '../rpc/message.js';
import type { Address } from '../rpc/schema.js';
import { permittedAccounts } from '../session/session.js';
import { wallet_requestPermissions } from './account.js';
import { method } from './method.js';

/**
 * web3-onboard's "select another account": asks which accounts to share, and resolves with them. Without it,
 * web3-onboard calls `eth_requestAccounts`, which changes nothing for a connected page.
 */
export const eth_selectAccounts = method<[], readonly Address[]>()(noParams, async (context, _, request) => {
  await wallet_requestPermissions.handle(context, ['eth_accounts'] as never, request);
  return permittedAccounts(context.session.state(), context.origin);
});
