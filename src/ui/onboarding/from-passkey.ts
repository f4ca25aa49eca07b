import type { PasskeyWallet } from '../../approvals/owner.js';
import { fill } from '../h.js';
import { party } from '../pieces/address.js';
import { Problem, wordsForError } from '../pieces/errors.js';
import { note } from '../pieces/lines.js';
import { blocks } from '../pieces/lists.js';
import { phraseStep } from './backup.js';
import { keepData, type Setup } from './setup.js';
import { anyChain, type Stage, type Step } from './stage.js';

/** Creates a wallet from a new passkey. Where the passkey stays on this device, the words follow. */
export async function createFromPasskey({ stage, replaceMissing }: Setup, name: string): Promise<void> {
  const { owner, words } = stage;
  const { mnemonic, restores } = await owner.createFromPasskey(name, {
    replaceMissing: replaceMissing || undefined,
  });
  keepData(stage);
  stage.show(restores ? restoresStep(stage, mnemonic) : wordsStep(stage, mnemonic, words.localPasskeyLead));
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

/**
 * Brings a wallet back by its passkey. One without used accounts is shown before anything is stored: it resolves then, and the
 * step that asks goes on.
 * @param again shows the step before, where the person does not know the wallet
 */
export async function restoreFromPasskey(setup: Setup, again: () => void): Promise<void> {
  const { stage } = setup;
  let ended: Promise<void>;
  const asked = new Promise<void>((resolve) => {
    const confirm = (wallet: PasskeyWallet) =>
      new Promise<boolean>((answer) => {
        const back = (): void => {
          answer(false);
          again();
        };
        const accept = (): Promise<void> => {
          answer(true);
          return ended;
        };
        stage.show(isYoursStep(stage, wallet, { back, confirm: accept }));
        resolve();
      });
    ended = restore(setup, confirm);
  });
  await Promise.race([ended!, asked]);
}

async function restore(
  { stage, replace, replaceMissing }: Setup,
  confirm: (wallet: PasskeyWallet) => Promise<boolean>,
): Promise<void> {
  const { owner, words, signal } = stage;
  const name = words.recoveryNameDefault;
  try {
    const accounts = await owner.restoreFromPasskey({ name, replace, replaceMissing, confirm, signal });
    keepData(stage);
    stage.done(accounts);
  } catch (error) {
    const texts = {
      4001: words.recallCancelled,
      4100: words.recallOnlyUnlocks,
      4200: words.recallUnsupported,
      [-32002]: words.storageFailed,
    };
    throw new Problem(wordsForError(error, texts, words.failed));
  }
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
