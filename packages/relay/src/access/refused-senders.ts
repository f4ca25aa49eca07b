import { isProviderRpcError, type ProviderRpcError } from '../../../../src/rpc/errors.js';
import { own } from '../../../../src/rpc/own.js';
import type { Address, Hash, Hex } from '../../../../src/rpc/schema.js';
import { type ParsedTransaction, parseSigned } from '../../../../src/rpc/signed-transaction.js';
import { alreadyKnown, isRefusal, reasonOf } from '../../../../src/service/errors/errors.js';
import type { Reason } from '../../../../src/service/errors/fault-table.js';
import { senderOf } from './sender.js';

/**
 * Accounts whose transaction the service has just refused. For a minute their further transactions get the same error
 * here. Excepted are those that correct the cause, and those that the service may already have: a person would pay again
 * for a transaction that was wrongly called refused.
 */
export interface RefusedSenders {
  /** The error of the service that this transaction gets without being sent. */
  find(raw: Hex): ProviderRpcError | undefined;
  /** The service has answered a transaction; without an error it was accepted. */
  answered(raw: Hex, error?: unknown): void;
  /** Senders that are remembered. */
  size(): number;
}

/** Numbers that show whether a later transaction corrects the cause. The rest, up to 262 kB, is dropped. */
type Figures = Readonly<Record<'nonce' | 'gas' | 'gasPrice', bigint>>;

interface Refused {
  readonly error: ProviderRpcError;
  readonly figures: Figures;
  readonly until: number;
}

/** Milliseconds. */
const lifetime = 60_000;
/** Transactions that were sent and are remembered. */
const maxSent = 4_000;

/** A number for each cause of a refusal: in a transaction that corrects the cause it is higher. */
const corrections: Partial<Record<Reason, (figures: Figures) => bigint>> = {
  'nonce-too-low': ({ nonce }) => nonce,
  'nonce-too-high': ({ nonce }) => -nonce,
  'replacement-underpriced': ({ gasPrice }) => gasPrice,
  underpriced: ({ gasPrice }) => gasPrice,
  overpriced: ({ gasPrice }) => -gasPrice,
  'gas-too-low': ({ gas }) => gas,
  'gas-too-high': ({ gas }) => -gas,
};

/** A figure is of any length where it is written: above 32 bytes it is no transaction's. */
const figureOf = (quantity: Hex | number): bigint => {
  const figure = BigInt(quantity);
  return figure < maxFigure ? figure : maxFigure;
};
const maxFigure = 2n ** 256n;

const figuresOf = ({ transaction: { nonce, gas, gasPrice } }: ParsedTransaction): Figures => ({
  nonce: figureOf(nonce),
  gas: figureOf(gas),
  gasPrice: figureOf(gasPrice),
});

export function createRefusedSenders(options: createRefusedSenders.Options): RefusedSenders {
  const { chainId, now, maxSenders = 1_000 } = own(options);
  const refused = new Map<Address, Refused>();
  /** Transactions that the service has been sent and has not refused. */
  const sent = new Map<Hash, true>();

  function read(raw: Hex): ParsedTransaction | undefined {
    try {
      return parseSigned(raw, chainId, 'params[0]', true);
    } catch {
      return undefined;
    }
  }

  return {
    size: () => refused.size,
    find(raw) {
      // Recovering a sender takes milliseconds: only where one was refused.
      if (refused.size === 0) return undefined;
      const parsed = read(raw);
      const sender = parsed && !sent.has(parsed.hash) ? senderOf(parsed) : undefined;
      const entry = sender && refused.get(sender);
      if (!parsed || !entry) return undefined;
      if (entry.until <= now()) {
        refused.delete(sender);
        return undefined;
      }
      const measure = corrections[reasonOf(entry.error) as Reason];
      return measure && measure(figuresOf(parsed)) > measure(entry.figures) ? undefined : entry.error;
    },
    answered(raw, error) {
      const parsed = read(raw);
      if (!parsed) return;
      const isRefused = isProviderRpcError(error) && isRefusal(error) && !alreadyKnown(error);
      if (!isRefused) return keep(sent, parsed.hash, true, maxSent);
      sent.delete(parsed.hash);
      const sender = senderOf(parsed);
      if (!sender) return;
      keep(refused, sender, { error, figures: figuresOf(parsed), until: now() + lifetime }, maxSenders);
      // Those that were refused first are first.
      for (const [other, { until }] of refused) {
        if (until > now()) break;
        refused.delete(other);
      }
    },
  };
}

function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) if (map.size > max) map.delete(oldest);
}

export declare namespace createRefusedSenders {
  interface Options {
    readonly chainId: number;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Senders that are remembered. Default 1,000. */
    readonly maxSenders?: number | undefined;
  }
}
