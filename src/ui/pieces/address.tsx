import type { QuestionAccount, QuestionRecipient } from '../../approvals/question.js';
import { checksumAddress } from '../../rpc/address.js';
import type { Address } from '../../rpc/schema.js';
import { type Content, Fragment, h } from '../h.js';
import { identicon } from './identicon.js';

/** An address or a hash, shortened to its first 4 and last 4 digits. Nowhere is it shortened in another way. */
export const shorten = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`;

/** An address with its checksum, shortened. */
export const shortAddress = (address: Address, chainId: number): string =>
  shorten(checksumAddress(address, chainId));

/** A full address, displayed in groups of four digits for comparison. Copying it yields no spaces. */
export function wholeAddress(address: Address, chainId: number): Content {
  const digits = checksumAddress(address, chainId).slice(2);
  const groups = digits.match(/.{4}/g) ?? [];
  return (
    <span class="address" dir="ltr">
      <span class="prefix">0x</span>
      {groups.map((group, index) => (
        <>
          <span class={index === 0 || index === groups.length - 1 ? 'end' : undefined}>{group}</span>
          {index === 4 && <wbr />}
        </>
      ))}
    </span>
  );
}

/** An address with its identicon and, where there is one, a name. */
export const party = (address: Address, chainId: number, name: Content = null): Content => (
  <div class="party">
    {identicon(address)}
    <div>
      {name !== null && name !== false && <bdi class="name">{name}</bdi>}
      {wholeAddress(address, chainId)}
    </div>
  </div>
);

/** One of the wallet's accounts: its label and its shortened address. */
export function ownAccount({ address, label }: QuestionAccount, chainId: number): Content {
  const whole = checksumAddress(address, chainId);
  return (
    <span class="own">
      {identicon(address)}
      <bdi class="name">{label}</bdi>
      <code dir="ltr" title={whole}>
        {shorten(whole)}
      </code>
    </span>
  );
}

/** The name of a recipient: the person's own one comes before that of the RIF Name Service. */
export const nameOfRecipient = ({ contact, name, known }: Partial<QuestionRecipient>): string | null =>
  contact !== undefined && name !== undefined ? `${contact} (${name})` : (contact ?? name ?? known ?? null);
