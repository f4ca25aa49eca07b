import { h } from '../h.js';
import { link } from '../pieces/fields.js';
import { hasPasskeys, newPasskey } from './protection.js';
import type { Setup } from './setup.js';
import type { Stage, Step } from './stage.js';

/** Passkeys that bring a wallet back, on the wallet's own site. `from-passkey.ts` has the steps after the passkey. */

export const hasRecoveryPasskeys = ({ owner }: Stage): boolean => owner.ownSite && hasPasskeys();

/** Creates a wallet from a new passkey. */
export function createFromPasskeyStep(
  setup: Setup,
  {
    back,
    usePassword,
  }: { readonly back: () => void; readonly usePassword: (note?: string | undefined) => void },
): Step {
  const { words } = setup.stage;
  const passkey = newPasskey(words, words.recoveryNameDefault);
  return {
    title: words.recoveryTitle,
    lead: words.recoveryLead,
    subject: [passkey.field, <p class="links">{link(words.usePasswordInstead, () => usePassword())}</p>],
    confirm: words.createConfirm,
    other: { label: words.back, act: back },
    async submit() {
      const { createFromPasskey } = await import('./from-passkey.js');
      await passkey.make(
        (name) => createFromPasskey(setup, name),
        () => usePassword(words.passkeyMissing),
      );
    },
  };
}

/** Brings a wallet back by its passkey. */
export function recallStep(setup: Setup, back: () => void): Step {
  const { stage } = setup;
  const { words } = stage;
  return {
    title: words.recallTitle,
    lead: words.recallLead,
    subject: [],
    confirm: words.recallPasskey,
    other: { label: words.back, act: back },
    busy: words.discoveryTitle,
    async submit() {
      const { restoreFromPasskey } = await import('./from-passkey.js');
      await restoreFromPasskey(setup, () => stage.show(recallStep(setup, back)));
    },
  };
}
