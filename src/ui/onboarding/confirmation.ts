import { createRef } from 'preact';
import { fill } from '../h.js';
import { Problem } from '../pieces/errors.js';
import { textField } from '../pieces/fields.js';
import type { Stage, Step } from './stage.js';

/** Asks to type a word before something that cannot be undone. */
export function confirmationStep({ words }: Stage, options: confirmationStep.Options): Step {
  const { title, lead, word, confirm, back, run } = options;
  const typed = createRef<HTMLInputElement>();
  return {
    title,
    lead,
    subject: [textField('typed', fill(words.typeWord, { word }), typed)],
    confirm,
    isSevere: true,
    other: { label: words.back, act: back },
    async submit() {
      if (typed.current?.value.trim().toLowerCase() !== word.toLowerCase())
        throw new Problem(fill(words.typeWord, { word }));
      await run();
    },
  };
}

export declare namespace confirmationStep {
  interface Options {
    readonly title: string;
    readonly lead: string;
    /** The word to type. */
    readonly word: string;
    readonly confirm: string;
    readonly back: () => void;
    readonly run: () => Promise<void> | void;
  }
}

/** Asks before the wallet of this browser is replaced by another one. */
export const replacementStep = (
  stage: Stage,
  options: Pick<confirmationStep.Options, 'back' | 'run'>,
): Step => {
  const { replaceTitle: title, replaceLead: lead, replaceWord: word, replaceConfirm: confirm } = stage.words;
  return confirmationStep(stage, { title, lead, word, confirm, ...options });
};
