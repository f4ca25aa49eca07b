import type { Approvals } from '../approvals/approvals.js';
import { messageWarnings } from '../approvals/describe/message.js';
import { decodeLeniently, decodeText, displayText } from '../approvals/describe/text.js';
import { typedDataWarnings } from '../approvals/describe/typed-data.js';
import type { QuestionNetwork, SignIn } from '../approvals/question.js';
import { checkSignIn, forOtherSite, otherSite, parseSignIn } from '../approvals/siwe.js';
import type { Keyring } from '../keyring/keyring.js';
import { readTypedData, type TypedData } from '../keyring/typed-data/typed-data.js';
import { readPermit } from '../keyring/typed-data/permit.js';
import { invalidParams } from '../rpc/errors.js';
import { hexToBytes } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Service } from '../service/service.js';
import type { SessionAccount } from '../session/session.js';
import { readLabels, tokensOf, withLabels, withPermitLabel } from './labels.js';
import { amountTokens, withReadings } from './readings.js';
import { readRight } from './rights.js';

/** Signatures over what is not a transaction: each is read, shown to a person as it is, and signed once. */
export interface Signatures {
  /** EIP-191, version 0x45: 65 bytes r‖s‖v. A sign-in message (EIP-4361) must be for who asks. */
  signMessage(request: Signatures.MessageRequest, asked: Signatures.Asked): Promise<Hex>;
  /** EIP-712 (V3, V4) and the array form before it (V1): 65 bytes r‖s‖v. */
  signTypedData(request: Signatures.TypedDataRequest, asked: Signatures.Asked): Promise<Hex>;
}

export declare namespace Signatures {
  interface MessageRequest {
    readonly method: 'personal_sign' | 'eth_sign';
    readonly bytes: Hex;
    /** For errors: where the message stood. */
    readonly path: string;
  }
  interface TypedDataRequest {
    readonly version: 'V1' | 'V3' | 'V4';
    readonly typedData: Json;
    readonly path: string;
  }
  interface Asked {
    readonly origin: string;
    readonly account: SessionAccount;
    /** All addresses of the wallet. */
    readonly own: readonly Address[];
    readonly network: QuestionNetwork;
    /** What tokens are asked about themselves by; it need not answer. */
    readonly service: Service;
    readonly signal?: AbortSignal;
    /** Whether the origin still holds the account when the person has answered. */
    readonly stillAllowed: () => boolean;
  }
}

export function createSignatures(options: createSignatures.Options): Signatures {
  const { approvals, keyring, signIn: policy, now } = options;

  const settings = (asked: Signatures.Asked) => ({
    needsKeys: true,
    stillAllowed: asked.stillAllowed,
    ...(asked.signal && { signal: asked.signal }),
  });
  const asking = ({ origin, network, account: { address, label } }: Signatures.Asked) => ({
    origin,
    network,
    account: { address, label },
  });

  return {
    async signMessage({ method, bytes, path }, asked) {
      keyring.warmUp();
      const raw = hexToBytes(bytes);
      const from = asked.account.address;
      const context = {
        origin: asked.origin,
        chainId: asked.network.chainId,
        address: from,
        now: now(),
      };
      const signIn = parseSignIn(decodeText(raw) ?? '');
      if (policy === 'refuse') requireOwnSignIn(raw, signIn, context, path);
      const approved = await approvals.request(
        {
          kind: 'message',
          method,
          ...asking(asked),
          bytes,
          text: displayText(raw),
          signIn,
          warnings: messageWarnings(raw, context),
        },
        { type: 'message', from, bytes } satisfies Keyring.MessageSubject,
        settings(asked),
      );
      return keyring.signMessage(approved);
    },

    async signTypedData({ version, typedData, path }, asked) {
      keyring.warmUp();
      const read = readTypedData(typedData, path, { version, chainId: asked.network.chainId });
      const { domain, primaryType, digest } = read;
      const { permit, right, fields } = await describe(read, asked);
      const contract = domain.verifyingContract as Address | undefined;
      const approved = await approvals.request(
        {
          kind: 'typed-data',
          version,
          ...asking(asked),
          domain,
          primaryType,
          fields,
          permit,
          right,
          warnings: typedDataWarnings({
            ...{ version, domain, permit, right, fields },
            origin: asked.origin,
            ownContract: contract !== undefined && asked.own.includes(contract),
          }),
        },
        { type: 'typed-data', from: asked.account.address, digest } satisfies Keyring.TypedDataSubject,
        settings(asked),
      );
      return keyring.signTypedData(approved);
    },
  };
}

/** What typed data means to a person, with what its tokens say of themselves. */
async function describe(read: TypedData, { account, service }: Signatures.Asked) {
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

/** @throws ProviderRpcError -32602 for a sign-in message of another site, for another account, or out of its time */
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
    /** What to do with a sign-in message for another site or account: refuse it, or warn. */
    readonly signIn: 'refuse' | 'warn';
    readonly now: () => number;
  }
}
