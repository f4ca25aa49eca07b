import { createRef } from 'preact';
import type { Protection } from '../../approvals/owner.js';
import { isCommonPassword } from '../../rpc/common-password.js';
import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';
import { codeOf, Problem } from '../pieces/errors.js';
import { link, passwordField, textField } from '../pieces/fields.js';
import type { Setup } from './setup.js';
import type { Step } from './stage.js';

/** Which way of opening the wallet is offered first, and what to say before it. */
export interface ProtectionOptions {
  readonly confirm: string;
  readonly note?: string;
  /** Goes to the step before. */
  readonly back: () => void;
  readonly withPasskey?: boolean;
  /** Called where the person wants a passkey, in place of asking for one here. */
  readonly onPasskey?: () => void;
  /** Does what the protection is for. */
  readonly use: (protection: Protection) => Promise<void>;
}

/**
 * Asks for a new password, or for a passkey where the browser has them. Whether a passkey can protect keys is known only
 * once one was made: then the password is offered, and nothing that was entered before is lost.
 */
export function protectionStep(setup: Pick<Setup, 'stage'>, given: ProtectionOptions): Step {
  const options = own(given);
  const { stage } = setup;
  const { words } = stage;
  const again = (changes: Partial<ProtectionOptions>) =>
    stage.show(protectionStep(setup, { ...options, note: '', ...changes }));
  const note: Content = options.note ? (
    <p class="note" role="note">
      {options.note}
    </p>
  ) : null;
  const common = { confirm: options.confirm, other: { label: words.back, act: options.back } };
  if (options.withPasskey) {
    const name = createRef<HTMLInputElement>();
    return {
      ...common,
      title: words.passkeyTitle,
      lead: words.passkeyLead,
      subject: [
        note,
        textField('passkey-name', words.passkeyName, name, { value: words.passkeyNameDefault }),
        <p class="links">{link(words.usePasswordInstead, () => again({ withPasskey: false }))}</p>,
      ],
      async submit() {
        const chosen = name.current?.value.trim() || words.passkeyNameDefault;
        try {
          await options.use({ passkey: { name: chosen } });
        } catch (error) {
          if (codeOf(error) === 4200) again({ withPasskey: false, note: words.passkeyMissing });
          else if (codeOf(error) === 4001) throw new Problem(words.passkeyNotMade);
          else throw error;
        }
      },
    };
  }
  const password = createRef<HTMLInputElement>();
  const repeated = createRef<HTMLInputElement>();
  return {
    ...common,
    title: words.passwordTitle,
    lead: words.passwordLead,
    subject: [
      note,
      passwordField('new-password', words.newPassword, password, 'new-password', words.passwordRule),
      passwordField('repeat-password', words.repeatPassword, repeated, 'new-password'),
      hasPasskeys() && options.note !== words.passkeyMissing && (
        <p class="links">
          {link(words.usePasskeyInstead, options.onPasskey ?? (() => again({ withPasskey: true })))}
        </p>
      ),
    ],
    busy: words.encrypting,
    submit: () => options.use({ password: readNewPassword(password.current, repeated.current, words) }),
  };
}

/** Reads a new password that was typed twice. @throws Problem */
export function readNewPassword(
  first: HTMLInputElement | null,
  second: HTMLInputElement | null,
  words: { passwordShort: string; passwordCommon: string; passwordsDiffer: string },
): string {
  const password = first?.value ?? '';
  if ([...password].length < 8) throw new Problem(words.passwordShort);
  if (isCommonPassword(password.normalize('NFKC'))) throw new Problem(words.passwordCommon);
  if (password !== second?.value) throw new Problem(words.passwordsDiffer);
  return password;
}

/** A passkey belongs to a domain: a page whose host is an IP address cannot have one. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && !/^[\d.]+$|:/.test(location.hostname);
