import { createRef } from 'preact';
import type { PasskeyWallet } from '../../approvals/owner.js';
import { fill, h } from '../h.js';
import { party } from '../pieces/address.js';
import { codeOf, Problem, wordsForError } from '../pieces/errors.js';
import { link, textField } from '../pieces/fields.js';
import { note } from '../pieces/lines.js';
import { blocks } from '../pieces/lists.js';
import { phraseStep } from './backup.js';
import { hasPasskeys } from './protection.js';
import { keepData, type Setup } from './setup.js';
import { anyChain, type Stage, type Step } from './stage.js';

/** Passkeys that bring a wallet back, on the wallet's own site. */

export const hasRecoveryPasskeys = ({ owner }: Stage): boolean => owner.ownSite && hasPasskeys();

/** Creates a wallet from a new passkey. Where the passkey stays on this device, the words follow. */
export function createFromPasskeyStep(
  setup: Setup,
  {
    back,
    usePassword,
  }: { readonly back: () => void; readonly usePassword: (note?: string | undefined) => void },
): Step {
  const { stage } = setup;
  const { owner, words } = stage;
  const name = createRef<HTMLInputElement>();
  return {
    title: words.recoveryTitle,
    lead: words.recoveryLead,
    subject: [
      textField('passkey-name', words.passkeyName, name, words.recoveryNameDefault),
      <p class="links">{link(words.usePasswordInstead, () => usePassword())}</p>,
    ],
    confirm: words.createConfirm,
    other: { label: words.back, act: back },
    async submit() {
      const chosen = name.current?.value.trim() || words.recoveryNameDefault;
      try {
        const replaceMissing = setup.replaceMissing || undefined;
        const { mnemonic, restores } = await owner.createFromPasskey(chosen, { replaceMissing });
        keepData(stage);
        stage.show(
          restores ? restoresStep(stage, mnemonic) : wordsStep(stage, mnemonic, words.localPasskeyLead),
        );
      } catch (error) {
        if (codeOf(error) === 4200) usePassword(words.passkeyMissing);
        else if (codeOf(error) === 4001) throw new Problem(words.passkeyNotMade);
        else throw error;
      }
    },
  };
}

/** Says how the passkey brings the wallet back, and when it does not. */
function restoresStep(stage: Stage, mnemonic: string): Step {
  const { words } = stage;
  return {
    title: words.restoresTitle,
    lead: fill(words.restoresLead, { button: words.recallPasskey }),
    subject: [note(words.restoresNote)],
    confirm: words.continue,
    other: { label: words.showWords, act: () => stage.show(wordsStep(stage, mnemonic)) },
    submit: () => stage.done(),
  };
}

const wordsStep = (stage: Stage, mnemonic: string, lead?: string): Step =>
  phraseStep(stage, mnemonic, {
    lead,
    other: { label: stage.words.later, act: () => stage.done() },
    async confirmed() {
      await stage.owner.confirmBackup();
      stage.done();
    },
  });

/** Brings a wallet back by its passkey. One without used accounts is shown before anything is stored. */
export function recallStep(setup: Setup, back: () => void): Step {
  const { stage, replace } = setup;
  const { owner, words } = stage;
  const texts = {
    4001: words.recallCancelled,
    4100: words.recallOnlyUnlocks,
    4200: words.recallUnsupported,
    [-32002]: words.storageFailed,
  };
  const restore = async (confirm: (wallet: PasskeyWallet) => Promise<boolean>): Promise<void> => {
    const { replaceMissing } = setup;
    const name = words.recoveryNameDefault;
    try {
      const accounts = await owner.restoreFromPasskey({
        ...{ name, replace, replaceMissing, confirm },
        signal: stage.signal,
      });
      keepData(stage);
      stage.done(accounts);
    } catch (error) {
      throw new Problem(wordsForError(error, texts, words.failed));
    }
  };
  return {
    title: words.recallTitle,
    lead: words.recallLead,
    subject: [],
    confirm: words.recallPasskey,
    other: { label: words.back, act: back },
    busy: words.discoveryTitle,
    async submit() {
      let ended: Promise<void>;
      // This step ends when the person is asked: the next one waits for the rest.
      const asked = new Promise<void>((resolve) => {
        const confirm = (wallet: PasskeyWallet) =>
          new Promise<boolean>((answer) => {
            const again = (): void => {
              answer(false);
              stage.show(recallStep(setup, back));
            };
            const accept = (): Promise<void> => {
              answer(true);
              return ended;
            };
            stage.show(isYoursStep(stage, wallet, { back: again, confirm: accept }));
            resolve();
          });
        ended = restore(confirm);
      });
      await Promise.race([ended!, asked]);
    },
  };
}

/** Asks whether a wallet without used accounts is the person's. */
function isYoursStep(
  { words }: Stage,
  { address, found }: PasskeyWallet,
  { back, confirm }: { readonly back: () => void; readonly confirm: () => Promise<void> },
): Step {
  return {
    title: words.isYoursTitle,
    lead: found === 'unused' ? words.isYoursUnused : words.isYoursUnknown,
    subject: [blocks([words.firstAccount, party(address, anyChain)])],
    confirm: words.isYoursConfirm,
    other: { label: words.back, act: back },
    submit: confirm,
  };
}
