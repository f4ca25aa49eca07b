import type { CoinPrice } from '../assets/coin-price.js';
import { readTokenBalances, type TokenBalance } from '../assets/token-balances.js';
import { describeNetwork, signerOf } from '../methods/requester.js';
import type { PaymentProof } from '../proof/payment-proof.js';
import type { prove } from '../proof/prove.js';
import { invalidParams } from '../rpc/errors.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { address as addressReader, hash as hashReader, quantity, record, text } from '../rpc/params.js';
import type { Address, Hash, Hex } from '../rpc/schema.js';
import type { Network } from '../service/networks.js';
import { asPerson } from '../service/service.js';
import type { Requester } from '../session/requester.js';
import { type Fees, readFees } from '../transactions/fees.js';
import { readQuantity } from '../transactions/prepare.js';
import { createReplacement, type Replacement } from '../transactions/replacement.js';
import { type TransactionRequest, transactionRequest } from '../transactions/request.js';
import type { Core } from './core.js';

/**
 * Payments, balances and replacements of the owner: the functions behind a wallet panel's forms. They concern the active network,
 * except for a transaction of the journal, which belongs to its own. A dialog asks before anything is signed, with the
 * wallet's own page as the origin.
 */
export interface Payments {
  /**
   * Sends a payment or a call. Resolves with its hash, like `eth_sendTransaction`.
   *
   * @example
   * const hash = await wallet.send({ from: account, to: 'alice.rsk', value: '0x2386f26fc10000' });
   *
   * @throws ProviderRpcError -32602 for an invalid field, or a name that no address belongs to; 4001 for a refusal; 4100
   * for an account that the wallet has no key for; -32003 for what the chain refuses
   */
  send(payment: Payment): Promise<Hash>;
  /**
   * Estimates the cost of a payment at three prices.
   *
   * @example
   * const { normal } = await wallet.fees({ from: account, to: recipient, value: '0x1' });
   * console.log(BigInt(normal.fee)); // wei
   *
   * @throws ProviderRpcError -32602, and as a read of the service
   */
  fees(payment: Omit<Payment, 'gasPrice'>): Promise<Fees>;
  /**
   * Sends a pending transaction again at a higher price, with the same nonce. The dialog asks.
   *
   * @example
   * const faster = await wallet.speedUp(hash);
   *
   * @throws ProviderRpcError -32602 if there is nothing to replace: unknown, mined, settled or held (`resend` it), or
   * replaced already; -32003 for a price that is too low, or if it takes more than the network allows
   */
  speedUp(hash: Hash, options?: { readonly gasPrice?: Hex | undefined }): Promise<Hash>;
  /**
   * Sends nothing to the account itself in place of a pending transaction. The dialog asks. Whichever of the two is mined
   * first counts.
   *
   * @example
   * const replacement = await wallet.cancel(hash);
   *
   * @throws ProviderRpcError as {@link speedUp}
   */
  cancel(hash: Hash): Promise<Hash>;
  /**
   * Makes the proof of a mined transaction of any sender: its place, its outcome, and the work of Bitcoin's miners on its block and on
   * those on top of it. `verifyPayment` of `graft-wallet/proof` checks it without a network. It is plain JSON.
   *
   * @example
   * const proof = await wallet.prove(hash, { confirmations: 12 });
   * const file = new Blob([JSON.stringify(proof)], { type: 'application/json' });
   *
   * @throws ProviderRpcError -32602; -32001 if it is in no block; -32002 with `data.reason` `confirmations` if fewer blocks are on
   * top of it (`data.confirmations` says how many), or `no-proof` if the service lacks what proves it; -32603 if the service contradicts
   * itself; and as a read of the service
   */
  prove(hash: Hash, options?: prove.Options): Promise<PaymentProof>;
  /**
   * Balance in the native currency, wei.
   *
   * @example
   * const wei = await wallet.balance(account);
   *
   * @throws ProviderRpcError -32602, and as a read of the service
   */
  balance(address: Address): Promise<bigint>;
  /**
   * Balances of the tokens that the wallet lists for the network, and of those that the person watches.
   *
   * @example
   * for (const { symbol, balance } of await wallet.tokens(account)) console.log(symbol, balance);
   *
   * @throws ProviderRpcError -32602
   */
  tokens(address: Address): Promise<readonly TokenBalance[]>;
  /**
   * The price of the network's coin in US dollars, to show about how much an amount is: from an oracle on the chain, or from
   * `price.source` of the options. `null` without one, and for a price that is invalid or more than a day old. It is read again
   * after five minutes.
   *
   * @example
   * const price = await wallet.coinPrice();
   * if (price) console.log(Number(BigInt(price.usd) / 10n ** 16n) / 100, price.age); // US dollars for a coin, blocks
   *
   * @throws ProviderRpcError as a read of the service
   */
  coinPrice(): Promise<CoinPrice | null>;
  /**
   * Resolves a name of the RIF Name Service, such as `alice.rsk`, to its address; `null` if it has none, or on networks
   * without the service.
   *
   * @example
   * const address = await wallet.resolveName('alice.rsk');
   *
   * @throws ProviderRpcError -32602 for another type, and as a read of the service
   */
  resolveName(name: string): Promise<Address | null>;
  /**
   * The name that an address claims and that resolves to it; else `null`.
   *
   * @example
   * const name = await wallet.nameOf(recipient);
   *
   * @throws ProviderRpcError as {@link resolveName}
   */
  nameOf(address: Address): Promise<string | null>;
}

/** A payment or a call that the owner makes. */
export interface Payment {
  /** The account that pays. */
  readonly from: Address;
  /** An address, or a name of the RIF Name Service. Absent or `null` to create a contract. */
  readonly to?: string | null | undefined;
  /** wei, a QUANTITY. Default zero. */
  readonly value?: Hex | undefined;
  /** Calldata. Default: none. */
  readonly data?: Hex | undefined;
  /** wei per gas, a QUANTITY. Default: the network's normal price. */
  readonly gasPrice?: Hex | undefined;
}

export function createPayments(core: Core): Payments {
  const { session, origin, networks, now } = core.context;

  const requesterOf = (chainId: number, from: Address): Requester => {
    const { accounts } = session.state();
    const account = signerOf(session.state(), from);
    const { person: service } = core.chain(chainId);
    return {
      origin,
      network: describeNetwork(networks.get(chainId) as Network),
      service,
      account,
      ownAddresses: accounts.map(({ address }) => address),
      signal: undefined,
      stillAllowed: () => session.state().accounts.some(({ address }) => address === from),
    };
  };

  const activeChain = () => core.chain(session.state().chainId);

  const resolve = async (name: string): Promise<Address | null> => {
    const { person } = activeChain();
    const { names } = await core.signing();
    return names ? (await names()).resolve(person, name) : null;
  };

  const readPayment = async (payment: unknown): Promise<TransactionRequest> => {
    const fields = record(payment as Json, 'payment', ['from', 'to', 'value', 'data', 'gasPrice']);
    const { to } = fields;
    // The reader of addresses refuses any value that is neither a name nor an address.
    if (typeof to !== 'string' || !to.includes('.')) return transactionRequest(fields, 'payment');
    const address = await resolve(to);
    if (address === null) throw invalidParams(`payment.to: no address belongs to this name`);
    const recipientName = to.trim().toLowerCase();
    return own({ ...transactionRequest({ ...fields, to: address }, 'payment'), recipientName });
  };

  const replacement = async (): Promise<Replacement> => {
    const { journal, transactions } = await core.signing();
    return createReplacement({ journal, send: (await transactions()).send, requesterOf, now });
  };

  return {
    async send(payment) {
      // Before the first wait, so that it is for the chain that is active now.
      const { chainId } = session.state();
      const request = await readPayment(payment);
      const requester = requesterOf(chainId, request.from);
      return (await (await core.signing()).transactions()).send(request, requester);
    },
    async fees(payment) {
      const { person } = activeChain();
      return readFees(person, await readPayment(payment));
    },
    async speedUp(hash, options) {
      const { gasPrice } = record((options ?? {}) as Json, 'options', ['gasPrice']);
      const price = gasPrice === undefined ? undefined : quantity(gasPrice, 'options.gasPrice');
      return (await replacement()).speedUp(hashReader(hash, 'hash'), price);
    },
    cancel: async (hash) => (await replacement()).cancel(hashReader(hash, 'hash')),
    async prove(hash, options) {
      const transaction = hashReader(hash, 'hash');
      const { confirmations } = record((options ?? {}) as Json, 'options', ['confirmations']);
      const active = session.state().chainId;
      const entry = await (await core.signing()).journal.find(transaction);
      const [{ person }, code] = [core.chain(entry?.chainId ?? active), await import('../proof/prove.js')];
      return code.prove(person, transaction, { confirmations: confirmations as number | undefined });
    },
    async balance(address) {
      const params = [addressReader(address, 'address'), 'latest'];
      return BigInt(await readQuantity(asPerson(activeChain().reads.cached), 'eth_getBalance', params));
    },
    async tokens(address) {
      const { chainId, assets } = session.state();
      const owner = addressReader(address, 'address');
      const service = asPerson(core.chain(chainId).reads.cached);
      return readTokenBalances(service, owner, own(assets)[chainId] ?? []);
    },
    coinPrice: async () => (await core.signing()).coinPrice(session.state().chainId),
    resolveName: async (name) => resolve(text(name, 'name')),
    async nameOf(address) {
      const { person } = activeChain();
      const { names } = await core.signing();
      return names ? (await names()).nameOf(person, addressReader(address, 'address')) : null;
    },
  };
}
