import type { Owner, OwnerAccount } from '../../approvals/owner.js';
import type { Content } from '../h.js';
import { details } from '../styles/details.js';
import { forms } from '../styles/forms.js';
import type { Rules } from '../styles.js';
import type { StepWords } from '../words/words.js';

/** The style rules of steps. */
export const stepStyles: readonly Rules[] = [details, forms];

/**
 * Where a flow of several steps is shown: in the dialog, or in the panel. It has the two buttons, the line for errors, and
 * the protection against clicks that a person did not mean.
 */
export interface Stage {
  readonly owner: Owner;
  readonly words: StepWords;
  /** Aborts when the flow is over, however it ended. */
  readonly signal: AbortSignal;
  /** Shows a step in place of the present one. */
  show(step: Step): void;
  /** Ends the flow: there is a wallet, and it is unlocked. `accounts` are those that it now has, where that is known. */
  done(accounts?: readonly OwnerAccount[]): void;
  /** Ends the flow: the wallet was erased. */
  erased(): void;
  /** Ends the flow without any of it. */
  cancel(): void;
}

/** For an account of a wallet, which is one of every chain: its address has the checksum of EIP-55. */
export const anyChain = 1;

/** How a flow ended. */
export type FlowOutcome = 'done' | 'erased' | 'cancelled';

/** A flow as it is loaded: the style rules of its steps, and its start. */
export interface Flow {
  readonly styles: readonly Rules[];
  start(stage: Stage): void;
}

/** One step of a flow. */
export interface Step {
  readonly title: Content;
  readonly lead: Content;
  readonly subject: readonly Content[];
  /** The label of the main button. */
  readonly confirm: string;
  /** Does what the step is for. An error that it throws is shown in words. */
  submit(): Promise<void> | void;
  /** The other button. Default: it cancels the flow. */
  readonly other?: { readonly label: string; act(): void } | undefined;
  /** Nothing was done before it: it goes when another page, or the dialog beside the panel, has made a wallet. */
  readonly isFirst?: true | undefined;
  /** There is no other button. */
  readonly only?: boolean | undefined;
  /** It does what cannot be undone, and so looks and waits. */
  readonly isSevere?: boolean | undefined;
  /** Shown while `submit` runs. */
  readonly busy?: string | undefined;
}
