import { h } from '../h.js';
import { link } from '../pieces/fields.js';
import { confirmationStep, replacementStep } from './confirmation.js';
import { importStep } from './import.js';
import { hasRecoveryPasskeys, recallStep } from './recovery-passkey.js';
import { type Stage, type Step, stepStyles } from './stage.js';

export const styles = stepStyles;

/** For a forgotten password: the wallet is replaced by what a phrase or a backup restores, or erased. */
export function startRecovery(stage: Stage): void {
  const { words } = stage;
  const setup = { stage, site: null, replaceMissing: false, replace: true };
  const again = () => stage.show(first);
  const recall = () =>
    stage.show(replacementStep(stage, { back: again, run: () => stage.show(recallStep(setup, again)) }));
  const first: Step = {
    title: words.forgotTitle,
    lead: words.forgotLead,
    subject: [
      <p>{words.forgotRestore}</p>,
      <p class="links">
        {hasRecoveryPasskeys(stage) && link(words.recallPasskey, recall)}
        {link(words.eraseInstead, () => stage.show(eraseStep(stage, again)))}
      </p>,
    ],
    confirm: words.forgotConfirm,
    submit: () => stage.show(importStep(setup, again)),
  };
  stage.show(first);
}

/** Erases the wallet, after a typed word. */
export function eraseStep(stage: Stage, back: () => void): Step {
  const { words, owner } = stage;
  return confirmationStep(stage, {
    title: words.eraseTitle,
    lead: words.eraseLead,
    word: words.eraseWord,
    confirm: words.eraseConfirm,
    back,
    async run() {
      await owner.erase();
      stage.erased();
    },
  });
}
