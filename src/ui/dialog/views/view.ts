import type { Answer, Question } from '../../../approvals/question.js';
import type { Content } from '../../h.js';
import type { Flow } from '../../onboarding/stage.js';
import type { Rules } from '../../styles.js';
import type { DialogWords } from '../../words/words.js';

/** The content of one kind of question. Origin, network, warnings and buttons belong to the frame. */
export interface View {
  readonly title: Content;
  /** One or two sentences, part of the dialog's accessible description. */
  readonly lead: Content;
  /** The main content. */
  readonly subject: readonly Content[];
  /** Further details, shown before the cautions. */
  readonly more?: readonly Content[] | undefined;
  /** The label of the confirm button. */
  readonly confirm: string;
  /** For a question with choices: the answer for the current choice, `null` while it cannot be approved. */
  readonly answer?: (() => Answer | null) | undefined;
  /** Style rules that it needs beside those of every dialog. */
  readonly styles?: Rules | undefined;
  /** It only informs: its main button closes it, and no password is asked for. */
  readonly informs?: true | undefined;
  /** A flow that its second button shows in place of the question, which goes on when the flow ends. */
  readonly flow?: { readonly label: string; load(): Promise<Flow> } | undefined;
}

/** Renders one kind of question. Its strings have been escaped already (`readable`). */
export type ViewOf<Kind extends Question['kind']> = (
  question: Extract<Question, { kind: Kind }>,
  words: DialogWords,
) => View;
