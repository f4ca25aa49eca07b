import { createRef } from 'preact';
import type { Protection } from '../../approvals/owner.js';
import { isCommonPassword } from '../../rpc/common-password.js';
import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';
import { codeOf, Problem } from '../pieces/errors.js';
import { link, passwordField, textField } from '../pieces/fields.js';
import type { StepWords } from '../words/words.js';
import type { Stage, Step } from './stage.js';

/** Which way of opening the wallet is offered first, and what to say before it. */
interface ProtectionOptions {
  readonly confirm: string;
  readonly note?: string | undefined;
  /** Goes to the step before. */
  readonly back: () => void;
  readonly withPasskey?: boolean | undefined;
  /** Called where the person wants a passkey, in place of asking for one here. */
  readonly onPasskey?: (() => void) | undefined;
  /** Does what the protection is for. */
  readonly use: (protection: Protection) => Promise<void>;
}

/**
 * Asks for a new password, or for a passkey where the browser has them. Whether a passkey can protect keys is known only
 * once one was made: then the password is offered, and nothing that was entered before is lost.
 */
export function protectionStep(stage: Stage, options: ProtectionOptions): Step {
  const { note, withPasskey, onPasskey, confirm, back, use } = own(options);
  const { words } = stage;
  const again = (changes: Partial<ProtectionOptions>) =>
    stage.show(protectionStep(stage, { ...options, note: undefined, ...changes }));
  const explanation = note !== undefined && (
    <p class="note" role="note">
      {note}
    </p>
  );
  const common = { confirm, other: { label: words.back, act: back } };
  if (withPasskey) {
    const passkey = newPasskey(words, words.passkeyNameDefault);
    return {
      ...common,
      title: words.passkeyTitle,
      lead: words.passkeyLead,
      subject: [
        explanation,
        passkey.field,
        <p class="links">{link(words.usePasswordInstead, () => again({ withPasskey: false }))}</p>,
      ],
      submit: () =>
        passkey.make(
          (name) => use({ passkey: { name } }),
          () => again({ withPasskey: false, note: words.passkeyMissing }),
        ),
    };
  }
  const password = newPassword('new-password', 'repeat-password');
  return {
    ...common,
    title: words.passwordTitle,
    lead: words.passwordLead,
    subject: [
      explanation,
      password.fields(words.newPassword, words),
      hasPasskeys() && note !== words.passkeyMissing && (
        <p class="links">
          {link(words.usePasskeyInstead, onPasskey ?? (() => again({ withPasskey: true })))}
        </p>
      ),
    ],
    busy: words.encrypting,
    submit: () => use({ password: password.read(words) }),
  };
}

/** A field for the name of a new passkey. */
export function newPasskey(words: StepWords, defaultName: string) {
  const name = createRef<HTMLInputElement>();
  return {
    field: textField('passkey-name', words.passkeyName, name, defaultName),
    /** Calls `missing` where browser or device cannot have such a passkey. @throws Problem if the person cancels */
    async make(use: (name: string) => Promise<void>, missing: () => void): Promise<void> {
      try {
        await use(name.current?.value.trim() || defaultName);
      } catch (error) {
        if (codeOf(error) === 4200) missing();
        else if (codeOf(error) === 4001) throw new Problem(words.passkeyNotMade);
        else throw error;
      }
    },
  };
}

/** Two fields in which a person types a new password, and types it again. */
export function newPassword(id: string, repeatedId: string) {
  const first = createRef<HTMLInputElement>();
  const second = createRef<HTMLInputElement>();
  return {
    fields: (label: string, words: StepWords): readonly Content[] => [
      passwordField(id, label, first, 'new-password', words.passwordRule),
      passwordField(repeatedId, words.repeatPassword, second, 'new-password'),
    ],
    /** @throws Problem */
    read(words: StepWords): string {
      const password = first.current?.value ?? '';
      if ([...password].length < 8) throw new Problem(words.passwordShort);
      if (isCommonPassword(password.normalize('NFKC'))) throw new Problem(words.passwordCommon);
      if (password !== second.current?.value) throw new Problem(words.passwordsDiffer);
      return password;
    },
    clear(): void {
      for (const { current } of [first, second]) if (current) current.value = '';
    },
  };
}

/** A passkey belongs to a domain: a page whose host is an IP address cannot have one. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(location.hostname);
