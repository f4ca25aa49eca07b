import type { OnboardingQuestion, Question } from '../../approvals/question.js';
import { own } from '../../rpc/own.js';
import { h, sentence } from '../h.js';
import { link } from '../pieces/fields.js';
import { siteName } from '../pieces/site.js';
import { phraseStep } from './backup.js';
import { importStep } from './import.js';
import { protectionStep } from './protection.js';
import { createFromPasskeyStep, hasRecoveryPasskeys, recallStep } from './recovery-passkey.js';
import { keepData, type Setup } from './setup.js';
import { type Stage, type Step, stepStyles } from './stage.js';

export const styles = stepStyles;

/** Starts it for the question of a site. */
export function startOnboarding(stage: Stage, question: Question): void {
  const { origin, vault } = question as OnboardingQuestion;
  startSetup({ stage, site: siteName(origin), replaceMissing: vault === 'missing', replace: false });
}

/** On a page over plain http the browser has nothing to encrypt keys with: that is said before a password is asked for. */
export function startSetup(setup: Setup): void {
  const { owner, show } = setup.stage;
  // The function that needs it says that it does not load.
  own(owner)
    .prepare?.()
    .catch(() => {});
  show(globalThis.crypto?.subtle ? welcomeStep(setup) : insecureStep(setup));
}

function insecureStep({ stage }: Setup): Step {
  const { words } = stage;
  return {
    title: words.httpsTitle,
    lead: words.httpsLead,
    subject: [],
    confirm: words.close,
    only: true,
    submit: stage.cancel,
  };
}

function welcomeStep(setup: Setup): Step {
  const { stage, site, replaceMissing } = setup;
  const { words } = stage;
  const again = () => stage.show(welcomeStep(setup));
  const recall = () => stage.show(recallStep(setup, again));
  const hasRecall = hasRecoveryPasskeys(stage);
  // A person whose wallet is lost is here to have it back.
  const recallsFirst = hasRecall && replaceMissing;
  return {
    title: words.welcomeTitle,
    lead: site === null ? words.welcomeLead : sentence(words.welcomeLeadFor, { site }),
    subject: [
      replaceMissing && (
        <p class="note" role="note">
          {words.missingNote}
        </p>
      ),
      <ul class="points">
        {[words.welcomeKeys, words.welcomeBackup, words.welcomeAsk].map((text) => (
          <li>{text}</li>
        ))}
      </ul>,
      <p class="links">
        {hasRecall && !recallsFirst && link(words.recallPasskey, recall)}
        {link(words.haveWallet, () => stage.show(importStep(setup, again)))}
        {recallsFirst && link(words.createWallet, () => create(setup))}
      </p>,
    ],
    confirm: recallsFirst ? words.recallPasskey : words.createWallet,
    isFirst: true,
    // The panel has nothing else to show.
    only: site === null,
    submit: () => (recallsFirst ? recall() : create(setup)),
  };
}

/** With a password, the wallet is made first and backed up now or later; with a passkey only, it is backed up first. */
function create(setup: Setup): void {
  const { stage } = setup;
  const { owner, words } = stage;
  const replaceMissing = setup.replaceMissing || undefined;
  const passwordFirst = (note?: string): void =>
    stage.show(
      protectionStep(stage, {
        note,
        confirm: words.createConfirm,
        back: () => stage.show(welcomeStep(setup)),
        onPasskey: () => stage.show(hasRecoveryPasskeys(stage) ? recoveryPasskey() : passkeyIntroduction),
        async use(protection) {
          if ('passkey' in protection) return;
          const { mnemonic } = await owner.create(protection.password, { replaceMissing });
          keepData(stage);
          const confirmed = async () => {
            await owner.confirmBackup();
            stage.done();
          };
          stage.show(
            phraseStep(stage, mnemonic, { other: { label: words.later, act: stage.done }, confirmed }),
          );
        },
      }),
    );

  const recoveryPasskey = (): Step =>
    createFromPasskeyStep(setup, { back: () => passwordFirst(), usePassword: passwordFirst });

  const passkeyIntroduction: Step = {
    title: words.passkeyTitle,
    lead: words.passkeyIntroduction,
    subject: [],
    confirm: words.continue,
    other: { label: words.back, act: () => passwordFirst() },
    submit: async () => showPhrase(await owner.newMnemonic()),
  };

  /** Until a passkey protects it, the phrase is kept in these steps and nowhere else. */
  const showPhrase = (mnemonic: string): void => {
    const other = { label: words.back, act: () => stage.show(passkeyIntroduction) };
    const confirmed = () =>
      stage.show(
        protectionStep(stage, {
          confirm: words.createConfirm,
          withPasskey: true,
          back: () => showPhrase(mnemonic),
          async use(protection) {
            await owner.importMnemonic(mnemonic, { ...protection, replaceMissing });
            await owner.confirmBackup();
            keepData(stage);
            stage.done();
          },
        }),
      );
    stage.show(phraseStep(stage, mnemonic, { other, confirmed }));
  };
  passwordFirst();
}
