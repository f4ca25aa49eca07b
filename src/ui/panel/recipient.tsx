import { checksumChain, hasValidChecksum } from '../../rpc/address.js';
import { type Address, isAddress } from '../../rpc/schema.js';
import { type Content, Fragment, h } from '../h.js';
import { party } from '../pieces/address.js';
import type { Panel } from './context.js';
import { useLoaded, useSettled } from './hooks.js';

/** An address that a person types, or a name that leads to one. */
export interface Recipient {
  readonly address: Address | null;
  readonly isName: boolean;
  readonly problem: string | null;
  readonly note: string | null;
}

/** Reads an address, or looks up a name once the person pauses. */
export function useRecipient({ wallet, words, network, account }: Panel, text: string): Recipient {
  const typed = text.trim();
  const isName = typed.includes('.');
  const name = useSettled(isName ? typed : '');
  const { value: found } = useLoaded(async () => {
    const address = name === '' ? null : await wallet.resolveName(name).catch(() => 'failed' as const);
    return { name, address };
  }, [name, network.chainId]);

  const none = { address: null, isName, note: null };
  if (typed === '') return { ...none, problem: words.recipientMissing };
  if (isName) {
    if (found?.name !== typed) return { ...none, problem: null, note: words.lookingUp };
    if (found.address === 'failed') return { ...none, problem: words.recipientUnreachable };
    if (found.address === null) return { ...none, problem: words.recipientUnknown };
    if (/^0x0+$/.test(found.address)) return { ...none, problem: words.recipientNowhere };
    return { address: found.address, isName, problem: null, note: null };
  }
  if (!isAddress(typed)) return { ...none, problem: words.recipientWrong };
  const isMixed = typed.slice(2) !== typed.slice(2).toLowerCase() && /[a-f]/.test(typed.slice(2));
  if (isMixed && !hasValidChecksum(typed)) return { ...none, problem: words.recipientChecksum };
  const address = typed.toLowerCase() as Address;
  const chain = isMixed ? checksumChain(typed) : null;
  const note =
    address === account?.address
      ? words.recipientSelf
      : chain !== null && chain !== network.chainId
        ? words.recipientOtherNetwork
        : null;
  return { address, isName, problem: null, note };
}

/** The field of a recipient with its label, what is wrong with what was typed, and the address that a name leads to. */
export function RecipientField({
  id,
  label,
  panel: { words, network },
  typed,
  type,
  recipient: { address, isName, note },
  problem,
  invalid,
  children,
}: RecipientField.Properties): Content {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        dir="ltr"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder={words.recipientPlaceholder}
        value={typed}
        aria-invalid={invalid}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <div id={`${id}-note`} aria-live="polite">
        {problem !== null ? <small class="bad">{problem}</small> : note !== null && <small>{note}</small>}
        {isName && address !== null && party(address, network.chainId, typed.trim().toLowerCase())}
        {children}
      </div>
    </>
  );
}

export declare namespace RecipientField {
  interface Properties {
    readonly id: string;
    readonly label: string;
    readonly panel: Panel;
    readonly typed: string;
    readonly type: (text: string) => void;
    readonly recipient: Recipient;
    /** A problem to show; `null` without one, and before anything was typed. */
    readonly problem: string | null;
    /** The field’s `aria-invalid`; absent where it has none. */
    readonly invalid?: string;
    /** Further notes below it. */
    readonly children?: Content;
  }
}
