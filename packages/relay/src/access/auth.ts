import type { JWK, JWTVerifyGetKey, JWTVerifyOptions, KeyInput } from 'jose';
import { lazy } from '../../../../src/async/lazy.js';
import { errorCode, invalidParams } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import { membersOf } from '../../../../src/rpc/own-data.js';
import { type Refusal, refused } from '../refusal.js';

/** How the tokens (JWT) of clients are checked. */
export interface JwtOptions {
  /** The key that verifies tokens: for `HS256`, a secret of at least 32 characters; else a public key as PEM (SPKI) or as JWK. */
  readonly key?: string | JsonWebKey | undefined;
  /** In place of `key`: where the public keys of the issuer are, or the keys themselves. */
  readonly jwks?: string | { readonly keys: readonly JsonWebKey[] } | undefined;
  /** The only algorithms that are accepted. `HS256` stands alone. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** The required `aud` claim: a name of this relay. */
  readonly audience: string;
  /** Whether a client without a token is refused. Default true. */
  readonly required?: boolean | undefined;
}

/** How a token is signed: with a shared secret, or with the private key of ECDSA (P-256) or Ed25519. */
export type TokenAlgorithm = 'HS256' | 'ES256' | 'EdDSA';

/** The claims of a valid token. */
export interface Claims {
  /** `sub`: whose limits apply. */
  readonly subject?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Chain ids; absent: all. */
  readonly chains?: readonly number[] | undefined;
  /** Reads that reach the service, per minute. */
  readonly reads?: number | undefined;
}

export interface Auth {
  readonly required: boolean;
  /**
   * Loads what checks tokens.
   * @throws ProviderRpcError -32602 for a key that cannot be read; the package's error where `jose` is missing
   */
  prepare(): Promise<void>;
  /**
   * Checks a token. It is verified once a minute at most.
   * @param origin of the page; compared with the claim `origin`, where the token has one
   */
  check(token: string, origin: string | undefined): Promise<Claims | Refusal>;
}

/** Seconds from now to the expiry of a token, at most, and by how much clocks may differ. */
const maxLife = 3_600;
const clockSkew = 5;
/** Characters of a token. */
const maxTokenLength = 4_096;
/** Tokens that are remembered, and for how many milliseconds. */
const maxTokens = 2_000;
const remembered = 60_000;
const maxReads = 100_000;

export function createAuth({ jwt, now }: createAuth.Options): Auth {
  const { key, jwks, algorithms, audience, required = true } = own(jwt);
  const verified = new Map<string, { claims: Claims; origin: string | undefined; until: number }>();

  const verifier = lazy(async () => {
    const { createLocalJWKSet, createRemoteJWKSet, importJWK, importSPKI, jwtVerify } = await import('jose');
    const algorithm = algorithms[0] as string;
    const options: JWTVerifyOptions = {
      algorithms: [...algorithms],
      audience,
      clockTolerance: clockSkew,
      requiredClaims: ['exp'],
    };
    let by: KeyInput | JWTVerifyGetKey;
    if (typeof jwks === 'string') by = createRemoteJWKSet(new URL(jwks), { timeoutDuration: 5_000 });
    else if (jwks) by = createLocalJWKSet({ keys: jwks.keys as JWK[] });
    else if (typeof key === 'object') by = await importJWK(key as JWK, algorithm);
    else if (algorithm === 'HS256') by = new TextEncoder().encode(key);
    else by = await importSPKI(key as string, algorithm);
    return async (token: string) =>
      (await jwtVerify(token, by, { ...options, currentDate: new Date(now()) })).payload;
  });

  /** @throws Error whose message names what is wrong with the token */
  async function read(token: string): Promise<{ claims: Claims; origin: string | undefined }> {
    const verify = await verifier().catch(() => {
      throw unusable;
    });
    const payload = own(await verify(token));
    const { exp, sub, origin, chains, reads } = payload as Record<string, unknown>;
    const expires = Number(exp) * 1000;
    if (expires > now() + (maxLife + clockSkew) * 1000) throw new WrongClaim('it lasts longer than an hour');
    if (sub !== undefined && (typeof sub !== 'string' || sub.length > 256))
      throw new WrongClaim('sub is wrong');
    if (origin !== undefined && typeof origin !== 'string') throw new WrongClaim('origin is wrong');
    const isChainId = (each: unknown) => Number.isSafeInteger(each) && (each as number) > 0;
    if (chains !== undefined && !(Array.isArray(chains) && chains.every(isChainId)))
      throw new WrongClaim('chains is wrong');
    if (reads !== undefined && !(typeof reads === 'number' && reads > 0 && reads <= maxReads))
      throw new WrongClaim('reads is wrong');
    return { origin, claims: { expires, subject: sub, chains: chains as number[] | undefined, reads } };
  }

  return {
    required,
    async prepare() {
      try {
        await verifier();
      } catch (error) {
        if (membersOf(error).code === 'ERR_MODULE_NOT_FOUND') throw error;
        throw invalidParams(`jwt.${jwks ? 'jwks' : 'key'}: cannot be read as a key of ${algorithms[0]}`);
      }
    },
    async check(token, origin) {
      if (token.length > maxTokenLength) return unauthorized('The token is too long.');
      try {
        let entry = verified.get(token);
        if (!entry || entry.until <= now()) {
          verified.delete(token);
          const { claims, origin: of } = await read(token);
          entry = { claims, origin: of, until: Math.min(now() + remembered, claims.expires) };
          if (verified.size >= maxTokens) verified.delete(verified.keys().next().value as string);
          verified.set(token, entry);
        }
        if (entry.origin !== undefined && entry.origin !== origin)
          return unauthorized('The token is for another origin.');
        return entry.claims;
      } catch (error) {
        return error === unusable || (typeof jwks === 'string' && isUnreachable(error))
          ? unreachable
          : unauthorized(reasonOf(error));
      }
    },
  };
}

export declare namespace createAuth {
  interface Options {
    readonly jwt: JwtOptions;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  }
}

export const tokenMissing = () => unauthorized('A token is required.');

const unauthorized = (message: string) => refused(errorCode.unauthorized, message, 401);

const unreachable = refused(
  errorCode.resourceUnavailable,
  'The keys of the tokens cannot be read at present.',
  503,
);

/** A claim that this relay does not accept. The message never contains its value. */
class WrongClaim extends Error {}

/** The verification key could not be loaded, so the token was not checked. */
const unusable = new Error('The key of the tokens cannot be read.');

/** Whether the key set could not be fetched, which says nothing about the token. */
function isUnreachable(error: unknown): boolean {
  const { code } = membersOf(error);
  return code === 'ERR_JOSE_GENERIC' || code === 'ERR_JWKS_TIMEOUT' || error instanceof TypeError;
}

/** The message contains nothing of the token or of the key. */
function reasonOf(error: unknown): string {
  const { code } = membersOf(error);
  if (code === 'ERR_JWT_EXPIRED') return 'The token has expired.';
  return error instanceof WrongClaim
    ? `The token is not valid: ${error.message}.`
    : 'The token is not valid.';
}

/** The subprotocol of the relay, and the one that carries a token: browsers set no headers for a WebSocket. */
export const subprotocol = 'graft.v1';
const tokenPrefix = 'graft.jwt.';

/** Reads a client's `Sec-WebSocket-Protocol`: its token, and the subprotocol to answer with. */
export function readSubprotocols(header: string | null): {
  readonly token: string | undefined;
  readonly protocol: string | undefined;
} {
  const offered = (header ?? '').split(',').map((each) => each.trim());
  const token = offered.find((each) => each.startsWith(tokenPrefix))?.slice(tokenPrefix.length);
  return { token, protocol: offered.includes(subprotocol) ? subprotocol : undefined };
}

/** The token of the header `Authorization`. */
export function readBearer(header: string | null): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
