import type { Approvals } from '../approvals/approvals.js';
import { messageWarnings } from '../approvals/describe/message.js';
import { decodeLeniently, decodeText, displayText } from '../approvals/describe/text.js';
import { typedDataWarnings } from '../approvals/describe/typed-data.js';
import type { SignIn } from '../approvals/question.js';
import { checkSignIn, forOtherSite, otherSite, parseSignIn } from '../approvals/siwe.js';
import type { Keyring } from '../keyring/keyring.js';
import { readPermit } from '../keyring/typed-data/permit.js';
import { readTypedData, type TypedData } from '../keyring/typed-data/typed-data.js';
import { invalidParams } from '../rpc/errors.js';
import { hexToBytes } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';
import { readLabels, tokensOf, withLabels, withPermitLabel } from './labels.js';
import { amountTokens, withReadings } from './readings.js';
import { readRight } from './rights.js';

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
    ...(signal && { signal }),
  });
  const describeRequester = ({ origin, network, account: { address, label } }: Requester) => ({
    origin,
    network,
    account: { address, label },
  });

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
      const read = readTypedData(typedData, path, { version, chainId: requester.network.chainId });
      const { domain, primaryType, digest } = read;
      const { permit, right, fields } = await describe(read, requester);
      const contract = domain.verifyingContract as Address | undefined;
      const approved = await approvals.request(
        {
          kind: 'typed-data',
          version,
          ...describeRequester(requester),
          domain,
          primaryType,
          fields,
          permit,
          right,
          warnings: typedDataWarnings({
            version,
            domain,
            permit,
            right,
            fields,
            origin: requester.origin,
            ownContract: contract !== undefined && requester.ownAddresses.includes(contract),
          }),
        },
        { type: 'typed-data', from: requester.account.address, digest } satisfies Keyring.TypedDataSubject,
        requestOptions(requester),
      );
      return keyring.signTypedData(approved);
    },
  };
}

/** The permit or right in typed data and its fields, labelled with what the tokens report about themselves. */
async function describe(read: TypedData, { account, service }: Requester) {
  const permit = readPermit(read);
  const right = permit === null ? readRight(read, account.address) : null;
  const contract = (read.domain.verifyingContract ?? null) as Address | null;
  const amounts = amountTokens(read.fields, contract);
  const tokens = [...tokensOf(permit, right), ...amounts.values()];
  const isAllowance = permit !== null || (right?.kind === 'call' && right.call !== null);
  const labels = await readLabels(service, tokens, isAllowance ? account.address : undefined);
  return {
    permit: withPermitLabel(permit, labels),
    right: withLabels(right, labels),
    fields: withReadings(read.fields, amounts, labels),
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
  }
}
