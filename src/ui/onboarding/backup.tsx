import { createRef } from 'preact';
import { fill, h } from '../h.js';
import { Problem } from '../pieces/errors.js';
import { textField } from '../pieces/fields.js';
import type { Stage, Step } from './stage.js';

/** How many words the person has to repeat. */
const quizSize = 3;

/** Shows the words of a recovery phrase, then asks for some of them. */
export function phraseStep(stage: Stage, mnemonic: string, options: phraseStep.Options): Step {
  const { words } = stage;
  const list = mnemonic.split(' ');
  return {
    title: words.phraseTitle,
    lead: options.lead ?? words.phraseLead,
    subject: [
      <ol class="phrase" dir="ltr" aria-label={words.phrase} translate="no">
        {list.map((word) => (
          <li>{word}</li>
        ))}
      </ol>,
      <p class="note">{words.phraseNote}</p>,
    ],
    confirm: words.phraseDone,
    other: options.other,
    submit: () => stage.show(quizStep(stage, mnemonic, options)),
  };
}

export declare namespace phraseStep {
  interface Options {
    /** Default: that the words are the only way back. */
    readonly lead?: string | undefined;
    /** Does without the backup for now, or goes back. */
    readonly other: NonNullable<Step['other']>;
    /** Called when the words were repeated. */
    readonly confirmed: () => Promise<void> | void;
  }
}

function quizStep(stage: Stage, mnemonic: string, options: phraseStep.Options): Step {
  const { words } = stage;
  const list = mnemonic.split(' ');
  const fields = positions(list.length).map((index) => ({ index, ref: createRef<HTMLInputElement>() }));
  return {
    title: words.quizTitle,
    lead: words.quizLead,
    subject: fields.map(({ index, ref }) =>
      textField(`word-${index}`, fill(words.wordNumber, { number: index + 1 }), ref),
    ),
    confirm: words.quizConfirm,
    other: { label: words.showWords, act: () => stage.show(phraseStep(stage, mnemonic, options)) },
    async submit() {
      const wrong = fields.find(({ index, ref }) => ref.current?.value.trim().toLowerCase() !== list[index]);
      if (wrong) {
        wrong.ref.current?.focus();
        throw new Problem(fill(words.quizWrong, { number: wrong.index + 1 }));
      }
      await options.confirmed();
    },
  };
}

/** Different positions in ascending order. They are not secret: any choice will do. */
function positions(count: number): readonly number[] {
  const chosen = new Set<number>();
  while (chosen.size < quizSize) chosen.add(Math.floor(Math.random() * count));
  return [...chosen].sort((a, b) => a - b);
}
