import { type Approvals, chosenAccounts } from '../approvals/approvals.js';
import { messageWarnings } from '../approvals/describe/message.js';
import type { ConnectQuestion, SignIn } from '../approvals/question.js';
import { checkSignIn, isSignInField, parseSignIn, writeSignIn } from '../approvals/siwe.js';
import type { Keyring } from '../keyring/keyring.js';
import { checksumAddress } from '../rpc/address.js';
import { errorCode, invalidParams, ProviderRpcError } from '../rpc/errors.js';
import { bytesToHex, hexToBytes } from '../rpc/hex.js';
import type { Json } from '../rpc/message.js';
import { own } from '../rpc/own.js';
import { chainId, memberReader, type Reader, record, refuse, text } from '../rpc/params.js';
import type { Address, Hex } from '../rpc/schema.js';
import type { Requester } from '../session/requester.js';

/** Sign-in messages (EIP-4361) that the wallet writes itself, for a site that connects (ERC-7846). */

/** The fields of a message without its address. `resources` is `null` where the message has no such list. */
export type SignInFields = Omit<Parameters<typeof writeSignIn>[0], 'address'>;

const members = [
  ...(['nonce', 'chainId', 'version', 'scheme', 'domain', 'uri', 'statement', 'issuedAt'] as const),
  ...(['expirationTime', 'notBefore', 'requestId', 'resources'] as const),
];

/**
 * Reads what a page gives for a message. Site, scheme and URI are those of the origin that the browser reports: a page that names
 * others is refused.
 * @throws ProviderRpcError -32602 naming the member that is wrong; 4902 for a chain that the wallet does not know
 */
export function readSignIn(value: Json, path: string, site: readSignIn.Site): SignInFields {
  const { origin, chainIds, now } = site;
  const member = memberReader(record(value, path, members), path);
  const required = <T>(given: T | undefined, name: string): T => {
    if (given === undefined) throw invalidParams(`${path}.${name}: required, received nothing`);
    return given;
  };
  const { protocol, host } = readOrigin(origin, path);
  const ownUri = `${protocol}//${host}`;
  const isOwnUri = (uri: string) =>
    uri.startsWith(ownUri) && /^(?:[/?#]|$)/.test(uri.slice(ownUri.length)) && isSignInField.uri(uri);
  const time = matching(isSignInField.time, 'a time of RFC 3339');
  const optionalText = (name: 'statement' | 'requestId', rule: string) =>
    // As libraries do: an empty one is left out.
    member(name, (given, at) => (given === '' ? null : matching(isSignInField[name], rule)(given, at))) ??
    null;

  const nonce = required(
    member('nonce', matching(isSignInField.nonce, 'at least 8 letters and digits')),
    'nonce',
  );
  const id = required(member('chainId', chainId), 'chainId');
  const fields = {
    scheme: member('scheme', only(protocol.slice(0, -1))) ?? protocol.slice(0, -1),
    domain: member('domain', only(host)) ?? host,
    statement: optionalText('statement', 'one line of the characters that ERC-4361 allows'),
    uri: member('uri', matching(isOwnUri, `a URI of ${ownUri}`)) ?? ownUri,
    version: member('version', only('1')) ?? '1',
    chainId: String(id),
    nonce,
    issuedAt: member('issuedAt', time) ?? new Date(now).toISOString(),
    expirationTime: member('expirationTime', time) ?? null,
    notBefore: member('notBefore', time) ?? null,
    requestId: optionalText('requestId', 'characters of a URI’s path'),
    resources: member('resources', uris) ?? null,
  };
  if (!chainIds.includes(id))
    throw new ProviderRpcError(
      errorCode.unrecognizedChain,
      `${path}.chainId: unrecognized chain ID "0x${id.toString(16)}". Try adding the chain using wallet_addEthereumChain first.`,
    );
  return fields;
}

export declare namespace readSignIn {
  interface Site {
    /** The requesting origin, as the browser reports it. */
    readonly origin: string;
    /** The chains that the wallet knows. */
    readonly chainIds: readonly number[];
    /** Milliseconds since 1970. */
    readonly now: number;
  }
}

/** A document without an origin has no site to sign in to. */
function readOrigin(origin: string, path: string): URL {
  try {
    return new URL(origin);
  } catch {
    throw invalidParams(`${path}: this page has no origin to sign in to`);
  }
}

/** Reads a text by a rule, a noun phrase. */
const matching =
  (isValid: (value: string) => boolean, rule: string): Reader<string> =>
  (value, path) => {
    const read = text(value, path);
    if (!isValid(read)) throw refuse(path, rule, value);
    return read;
  };

const only = (expected: string): Reader<string> => matching((value) => value === expected, `"${expected}"`);

const uris: Reader<readonly string[]> = (value, path) => {
  if (!Array.isArray(value)) throw refuse(path, 'a list of URIs', value);
  return value.map((each, index) => matching(isSignInField.uri, 'a URI')(each ?? null, `${path}[${index}]`));
};

/** Asks for accounts and a sign-in, as `Signatures.connect`. */
export async function askToSignIn(
  request: askToSignIn.Request,
  { approvals, keyring, signIn: policy, now }: askToSignIn.Options,
): Promise<askToSignIn.Signed> {
  const { signIn, path, origin, network, chainIds, offer, signal } = request;
  const fields = readSignIn(signIn, path, { origin, chainIds, now: now() });
  const messageOf = (address: Address) => ({ address, text: messageFor(fields, address) });
  const contextOf = (address: Address) => ({ origin, chainId: network.chainId, address, now: now() });
  // Before anything is asked; an address has always the same length.
  const { address: _, ...shown } = parseOwn(messageOf(nobody).text, path);
  if (policy === 'refuse') requireValid({ ...shown, address: nobody }, contextOf(nobody), path);

  const { accounts, selected } = await offer();
  const messages = accounts
    .filter((account) => !own(account).watchOnly)
    .map(({ address }) => messageOf(address));
  const subjectOf = (chosen: readonly Address[]) => {
    const signed = chosen.flatMap((address) => messages.find((each) => each.address === address) ?? [])[0];
    if (!signed) return null;
    const { address: from, text } = signed;
    return { type: 'message', from, bytes: hexOf(text), text, accounts: chosen } as const;
  };
  const initial = subjectOf(selected);
  if (initial === null) throw new TypeError('No account that is selected has a key.');
  const approved = await approvals.request<Subject>(
    {
      ...{ kind: 'connect', origin, network, accounts, selected },
      signIn: { ...shown, messages },
      warnings: messageWarnings(hexToBytes(initial.bytes), contextOf(initial.from)),
    },
    initial,
    {
      ...{ needsKeys: true, signal },
      revise: (_, answer) => subjectOf(chosenAccounts({ accounts, selected }, answer.accounts)),
    },
  );
  const { from, text, accounts: shared } = approved.subject;
  return { accounts: shared, signer: from, message: text, signature: await keyring.signMessage(approved) };
}

export declare namespace askToSignIn {
  interface Request extends Pick<Requester, 'origin' | 'network' | 'signal'> {
    /** The fields that the page gives for the message. */
    readonly signIn: Json;
    /** Where they are in the request, for errors. */
    readonly path: string;
    /** The chains that the wallet knows. */
    readonly chainIds: readonly number[];
    /** The accounts to choose from; at least one that is selected has a key. Called once the fields are found right. */
    readonly offer: () => Promise<Pick<ConnectQuestion, 'accounts' | 'selected'>>;
  }

  interface Signed {
    /** The accounts that the person shares. */
    readonly accounts: readonly Address[];
    /** The one of them that has signed. */
    readonly signer: Address;
    readonly message: string;
    readonly signature: Hex;
  }

  interface Options {
    readonly approvals: Approvals;
    readonly keyring: Keyring;
    /** Whether to refuse a message that is not valid now, or of an insecure page, or only to warn of it. */
    readonly signIn: 'refuse' | 'warn';
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}

/** A message to sign, with the accounts that are shared by the same answer. */
interface Subject extends Keyring.MessageSubject {
  readonly text: string;
  readonly accounts: readonly Address[];
}

const nobody: Address = `0x${'0'.repeat(40)}`;

const hexOf = (message: string): Hex => bytesToHex(new TextEncoder().encode(message));

/** The exact text of the message for an account. */
export const messageFor = (fields: SignInFields, account: Address): string =>
  writeSignIn({ ...fields, address: checksumAddress(account) });

/** The fields of a message as they are shown. @throws ProviderRpcError -32602 for one that is too long */
function parseOwn(message: string, path: string): SignIn {
  const signIn = parseSignIn(message);
  if (signIn === null) throw invalidParams(`${path}: too long for a sign-in message`);
  return signIn;
}

/** The members that break a rule of {@link checkSignIn}; a message for another chain is only warned of. */
const memberOf = {
  domain: 'domain',
  scheme: 'scheme',
  expired: 'expirationTime',
  'not-before': 'notBefore',
} as const;

/** @throws ProviderRpcError -32602 for the message of an insecure page, or one outside its validity period */
function requireValid(signIn: SignIn, context: checkSignIn.Context, path: string): void {
  for (const { rule, message } of checkSignIn(signIn, context))
    if (rule !== 'chain-id' && rule !== 'address')
      throw invalidParams(`${path}.${memberOf[rule]}: ${message}`);
}
