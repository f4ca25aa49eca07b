import type { Approvals } from '../approvals/approvals.js';
import { messageWarnings } from '../approvals/describe/message.js';
import { decodeLeniently, decodeText, displayText } from '../approvals/describe/text.js';
import type { SignIn } from '../approvals/question.js';
import { checkSignIn, forOtherSite, otherSite, parseSignIn } from '../approvals/siwe.js';
import { bySeverity, type Warning } from '../approvals/warning.js';
import { lazy } from '../async/lazy.js';
import type { Keyring } from '../keyring/keyring.js';
import { invalidParams } from '../rpc/errors.js';
import { hexToBytes } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { throwNotLoaded } from '../rpc/not-loaded.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';
import type { ContactsOf, LookAlikes } from '../transactions/recipient.js';
import type { askToSignIn } from './sign-in.js';

/** Signs messages and typed data after the person has approved them. */
export interface Signatures {
  /**
   * Signs in the form of EIP-191, version 0x45: 65 bytes r‖s‖v.
   * @throws ProviderRpcError -32602 for a sign-in message (EIP-4361) of another site or account, unless the wallet only
   * warns of those; 4001 refused
   */
  signMessage(request: Signatures.MessageRequest, requester: Requester): Promise<Hex>;
  /**
   * Signs typed data of EIP-712 (V3, V4) or the array form before it (V1): 65 bytes r‖s‖v.
   * @throws ProviderRpcError as `readTypedData`; 4001 refused
   */
  signTypedData(request: Signatures.TypedDataRequest, requester: Requester): Promise<Hex>;
  /**
   * Asks which accounts to share, and for the signature of a sign-in message (EIP-4361) by one of them, with one question. The
   * wallet writes the message, for the requesting site. Grants nothing.
   * @throws ProviderRpcError -32602 naming the member that is wrong; 4902 for an unknown chain; 4001 refused
   */
  connect(request: askToSignIn.Request): Promise<askToSignIn.Signed>;
}

export declare namespace Signatures {
  interface MessageRequest {
    readonly method: 'personal_sign' | 'eth_sign';
    readonly bytes: Hex;
    /** Where the message is in the request, for errors. */
    readonly path: string;
  }
  interface TypedDataRequest {
    readonly version: 'V1' | 'V3' | 'V4';
    readonly typedData: Json;
    /** Where the typed data is in the request, for errors. */
    readonly path: string;
  }
}

export function createSignatures(options: createSignatures.Options): Signatures {
  const { approvals, keyring, signIn: policy, now } = options;

  const requestOptions = ({ stillAllowed, signal }: Requester) => ({
    needsKeys: true,
    stillAllowed,
    signal,
  });
  const describeRequester = ({ origin, network, account: { address, label } }: Requester) => ({
    origin,
    network,
    account: { address, label },
  });

  const typedDataParts = lazy(() =>
    Promise.all([import('../keyring/typed-data/typed-data.js'), import('./describe-typed-data.js')]).catch(
      throwNotLoaded,
    ),
  );
  const recipientParts = lazy(() => import('../transactions/recipient.js').catch(throwNotLoaded));

  const signInParts = lazy(() => import('./sign-in.js').catch(throwNotLoaded));

  return {
    async signMessage({ method, bytes, path }, requester) {
      keyring.warmUp();
      const raw = hexToBytes(bytes);
      const from = requester.account.address;
      const context = {
        origin: requester.origin,
        chainId: requester.network.chainId,
        address: from,
        now: now(),
      };
      const signIn = parseSignIn(decodeText(raw) ?? '');
      if (policy === 'refuse') requireOwnSignIn(raw, signIn, context, path);
      const approved = await approvals.request(
        {
          kind: 'message',
          method,
          ...describeRequester(requester),
          bytes,
          text: displayText(raw),
          signIn,
          warnings: messageWarnings(raw, context),
        },
        { type: 'message', from, bytes } satisfies Keyring.MessageSubject,
        requestOptions(requester),
      );
      return keyring.signMessage(approved);
    },

    async signTypedData({ version, typedData, path }, requester) {
      keyring.warmUp();
      const [{ readTypedData }, { describeTypedData, partiesOf }] = await typedDataParts();
      const read = readTypedData(typedData, path, { version, chainId: requester.network.chainId });
      const described = await describeTypedData(read, requester);
      const subject = { type: 'typed-data', from: requester.account.address, digest: read.digest } as const;
      const questionWith = (found: readonly Warning[]) => ({
        question: {
          kind: 'typed-data' as const,
          version,
          ...describeRequester(requester),
          ...described,
          warnings: bySeverity([...described.warnings, ...found]),
        },
      });
      const ask = ({ question }: ReturnType<typeof questionWith>) =>
        approvals.request(question, subject satisfies Keyring.TypedDataSubject, requestOptions(requester));
      // The signer is no stranger.
      const parties = partiesOf(described).filter((address) => address !== requester.account.address);
      const askAboutParties = async () => {
        const lookAlikes = options.lookAlikes(parties, requester);
        // Contacts that cannot be read are reported first.
        lookAlikes.catch(() => {});
        const { askKnowing } = await recipientParts();
        return askKnowing(
          options.contacts,
          async (contacts) => questionWith((await lookAlikes)(contacts)),
          ask,
        );
      };
      // The contacts and the journal are read for those only who get something by the signature.
      const approved = await (parties.length > 0 ? askAboutParties() : ask(questionWith([])));
      const { permit, domain } = described;
      // A permit of Permit2 is no allowance of the token's own.
      if (permit?.token && permit.token === domain.verifyingContract?.toLowerCase())
        await options.onPermit(requester, permit.token, permit.spender);
      return keyring.signTypedData(approved);
    },

    async connect(request) {
      keyring.warmUp();
      const parts = await signInParts();
      return parts.askToSignIn(request, options);
    },
  };
}

/** @throws ProviderRpcError -32602 for a sign-in message of another site or account, or outside its validity period */
function requireOwnSignIn(
  bytes: Uint8Array,
  signIn: SignIn | null,
  context: checkSignIn.Context,
  path: string,
): void {
  const { origin } = context;
  const other = otherSite(decodeLeniently(bytes), origin);
  const broken = signIn ? checkSignIn(signIn, context).find(({ rule }) => rule !== 'chain-id') : undefined;
  const message = broken?.message ?? (other === null ? null : forOtherSite(other, origin));
  if (message !== null) throw invalidParams(`${path}: ${message}`);
}

export declare namespace createSignatures {
  interface Options {
    readonly approvals: Approvals;
    readonly keyring: Keyring;
    /** Whether to refuse a sign-in message for another site or account, or only to warn of it. */
    readonly signIn: 'refuse' | 'warn';
    /** Milliseconds since 1970. */
    readonly now: () => number;
    readonly contacts: ContactsOf;
    /** Finds those of the addresses that may be mistaken for one that the wallet knows, once it has the contacts. */
    readonly lookAlikes: LookAlikes;
    /** Called for an allowance before it is signed. Never rejects. */
    readonly onPermit: (requester: Requester, token: Address, spender: Address) => Promise<void>;
  }
}
