import { type Content, h } from '../h.js';
import { errorLine } from '../pieces/lines.js';
import type { PanelWords } from '../words/words.js';
import { useGuard } from './guarded.js';
import type { Task } from './hooks.js';

/** Fields with one guarded button that submits them, and the error of the task that it starts. */
export function Form({
  task,
  confirm,
  submit,
  words,
  others,
  children,
  isSevere = false,
}: Properties): Content {
  const { isRunning, error } = task;
  const { button, onKeyDown } = useGuard({ act: submit, isSevere, isBusy: isRunning, content: error });
  return (
    <form
      class="form"
      novalidate
      data-severe={isSevere}
      data-busy={isRunning}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      // A person who types again has read the error.
      onInput={() => error !== null && task.forgetError()}
    >
      {children}
      {errorLine(error)}
      <p class="unseen" role="status">
        {isRunning && words.working}
      </p>
      <div class="actions">
        {others}
        <button type="button" class="confirm" ref={button} key="confirm">
          {confirm}
        </button>
      </div>
    </form>
  );
}

interface Properties {
  readonly task: Task;
  readonly confirm: string;
  readonly submit: () => void;
  readonly words: PanelWords;
  /** Buttons before the one that submits. */
  readonly others?: Content | undefined;
  readonly isSevere?: boolean | undefined;
  readonly children?: Content | undefined;
}
