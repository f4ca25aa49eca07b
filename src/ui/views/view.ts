import type { Answer, Question } from '../../approvals/question.js';
import type { Content } from '../element.js';
import type { Words } from '../words.js';

/** How one kind of question is shown. Everything around it (who asks, warnings, actions) is the frame's. */
export interface View {
  readonly title: Content;
  /** One or two sentences; read out with the title. */
  readonly lead: Content;
  /** What it is about, before any danger is named. */
  readonly subject: readonly Content[];
  /** What else can be looked at. */
  readonly more?: readonly Content[];
  /** The name of the button that approves. */
  readonly confirm: string;
  /** Where the person chooses something: the answer for the choice, `null` while it cannot be approved. */
  readonly answer?: () => Answer | null;
}

/** Text in the question has been made safe to show (`escapeHidden`) before it comes here. */
export type ViewOf<Kind extends Question['kind']> = (
  question: Extract<Question, { kind: Kind }>,
  words: Words,
) => View;
