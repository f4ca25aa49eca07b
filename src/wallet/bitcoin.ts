import type { Credential } from '../approvals/owner.js';
import { addressOfHash } from '../bitcoin/address.js';
import { createPegOutReader, type PegOutReader } from '../bitcoin/follow.js';
import { type BitcoinNetwork, bitcoinNetwork } from '../bitcoin/network.js';
import type { BridgePayment, PegOut } from '../bitcoin/peg-out.js';
import { estimatePegOut, type PegOutEstimate } from '../bitcoin/peg-out-estimate.js';
import { keyHashOf, readSignedBy } from '../bitcoin/signer-key.js';
import { encodeWif } from '../bitcoin/wif.js';
import { errorCode, ProviderRpcError } from '../rpc/errors.js';
import { bridge, isPaymentToBridge } from '../rpc/known-contracts.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { ParsedTransaction } from '../rpc/signed-transaction.js';
import { asPerson } from '../service/service.js';
import { isMined, isOpen, type JournalEntry } from '../transactions/journal-entry.js';
import type { Core } from './core.js';
import { readAddress, readCredential, readOwnAccount, readWei } from './owner/arguments.js';

/**
 * The Bitcoin side of the accounts: the bridge of Rootstock pays a peg-out to the Bitcoin address of the key that asked for it. Amounts
 * in bitcoin are satoshis. All of it concerns the active network, and only chains 30, 31 and 33 have a bridge.
 */
export interface BitcoinSide {
  /**
   * The Bitcoin address (P2PKH) of an account's key, to which its peg-outs are paid; `null` on a network without a bridge. While the
   * wallet is locked, it is known for an account that has signed a transaction here.
   *
   * @example
   * const address = await wallet.bitcoinAddress(account);
   * console.log(address); // mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r
   *
   * @throws ProviderRpcError -32602 for an account that the wallet does not have; 4100 locked
   */
  bitcoinAddress(address: Address): Promise<string | null>;
  /**
   * The newest 20 peg-outs among the newest 1,000 transactions that were signed here, oldest first, with how far each has come by the
   * events of the bridge. Payments to the bridge that reverted are not listed. It reads the chain: one request for the head, and three
   * to five for a peg-out, which are not repeated once it has ended with 512 blocks on top.
   *
   * @example
   * for (const { amount, stage, txid } of await wallet.pegOuts(account)) console.log(amount, stage, txid); // satoshis
   *
   * @param address of one account; default: all
   * @throws ProviderRpcError -32602, and as a read of the service
   */
  pegOuts(address?: Address): Promise<readonly PegOut[]>;
  /**
   * Estimates a peg-out before it is signed, in up to four requests; `null` on a network without a bridge.
   *
   * @example
   * const estimate = await wallet.pegOutEstimate('0x11c37937e08000'); // 0.005 RBTC
   * if (estimate?.verdict === 'too-little') console.log(`At least ${estimate.minimum} satoshis`);
   *
   * @param value wei, a QUANTITY
   * @throws ProviderRpcError -32602; a service that does not answer leaves members `undefined`
   */
  pegOutEstimate(value: Hex): Promise<PegOutEstimate | null>;
  /**
   * The private key of an account in Bitcoin's wallet import format, with which a Bitcoin wallet spends what peg-outs have paid. It
   * is the same key: it spends the account too.
   *
   * @example
   * const wif = await wallet.exportWif(account, 'a long password');
   *
   * @throws ProviderRpcError 4100 wrong credential, -32602 unknown address, 4200 on a network without a bridge
   */
  exportWif(address: Address, credential: Credential): Promise<string>;
}

/** Transactions among which peg-outs are looked for, and peg-outs that are read. */
const maxEntries = 1_000;
const maxPegOuts = 20;

export function createBitcoinSide(core: Core): BitcoinSide {
  const { session } = core.context;
  /** HASH160 of the public keys, by account. */
  const keyHashes = new Map<Address, Uint8Array>();
  const readers = new Map<number, PegOutReader>();

  const active = (): { readonly chainId: number; readonly network: BitcoinNetwork | null } => {
    const { chainId } = session.state();
    return { chainId, network: bitcoinNetwork(chainId) };
  };

  const newest = async (chainId?: number) => (await core.signing()).journal.newest(chainId, maxEntries);

  const hashOf = async (account: Address): Promise<Uint8Array> => {
    const { keyring } = await core.signing();
    const signed = async () => (await newest()).filter(({ from }) => from === account);
    const hash =
      keyHashes.get(account) ?? (await keyHashOf(account, { publicKey: keyring.publicKey, signed }));
    keyHashes.set(account, hash);
    return hash;
  };

  const readerOf = (chainId: number, network: BitcoinNetwork): PegOutReader => {
    const present = readers.get(chainId);
    if (present) return present;
    const service = () => asPerson(core.chain(chainId).reads.cached);
    const reader = createPegOutReader({
      service,
      network,
      async logs(filter) {
        const { queryLogs } = await import('../service/logs/query.js');
        return queryLogs(service(), filter, { ranges: core.chain(chainId).logRanges });
      },
    });
    readers.set(chainId, reader);
    return reader;
  };

  return {
    async bitcoinAddress(address) {
      const account = readOwnAccount(address, session);
      const { network } = active();
      return network && addressOfHash(await hashOf(account), network);
    },
    async pegOuts(address) {
      const account = address === undefined ? undefined : readOwnAccount(address, session);
      const { chainId, network } = active();
      if (network === null) return [];
      const asked = new Map<string, BridgePayment>();
      for (const entry of await newest(chainId)) {
        if (account !== undefined && entry.from !== account) continue;
        const signed = mayPegOut(entry) ? readSignedBy(entry.from, entry) : null;
        if (!signed || !isPegOut(chainId, signed.parsed)) continue;
        const { hash, from, createdAt } = entry;
        const { keyHash, parsed } = signed;
        const { nonce } = parsed.transaction;
        const value = BigInt(parsed.transaction.value);
        // Two open ones with one nonce: the newer one is to replace the other.
        asked.set(isMined(entry) ? hash : `${from} ${nonce}`, { hash, from, value, keyHash, createdAt });
      }
      return readerOf(chainId, network).read([...asked.values()].slice(-maxPegOuts));
    },
    async pegOutEstimate(value) {
      const wei = readWei(value, 'value');
      const { chainId, network } = active();
      return network && estimatePegOut(asPerson(core.chain(chainId).reads.cached), network, wei);
    },
    async exportWif(address, credential) {
      const account = readAddress(address);
      const proof = readCredential(credential);
      const { network } = active();
      if (network === null)
        throw new ProviderRpcError(
          errorCode.unsupportedMethod,
          'The active network has no bridge to Bitcoin. Switch to Rootstock.',
        );
      const { keyring } = await core.signing();
      return keyring.lendPrivateKey(account, proof, (privateKey) => encodeWif(privateKey, network));
    },
  };
}

/** Whether an entry may be a peg-out: it has not failed, its recipient is the bridge, and no page has kept it to itself. */
const mayPegOut = (entry: JournalEntry): boolean =>
  entry.to === bridge && (isOpen(entry) ? entry.held !== 'page' : entry.state === 'mined');

const isPegOut = (chainId: number, { transaction }: ParsedTransaction): boolean =>
  isPaymentToBridge(chainId, transaction) && BigInt(transaction.value) > 0n;
