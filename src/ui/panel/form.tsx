import { type Content, h } from '../h.js';
import type { Words } from '../words/words.js';
import { useGuard } from './guarded.js';
import type { Task } from './hooks.js';

/** Fields with one guarded button that submits them, and the error of the task that it starts. */
export function Form({
  task,
  confirm,
  submit,
  words,
  others = [],
  children,
  isSevere,
}: Form.Properties): Content {
  const { button, onKeyDown } = useGuard({
    act: submit,
    isSevere: isSevere ?? false,
    isBusy: task.isRunning,
    content: task.error,
  });
  return (
    <form
      class="form"
      novalidate
      data-severe={isSevere ?? false}
      data-busy={task.isRunning}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      // A person who types again has read the error.
      onInput={() => task.error !== null && task.fail(null)}
    >
      {children}
      <p class="error" role="alert">
        {task.error}
      </p>
      <p class="unseen" role="status">
        {task.isRunning && words.working}
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

export declare namespace Form {
  interface Properties {
    readonly task: Task;
    readonly confirm: string;
    readonly submit: () => void;
    readonly words: Words;
    /** Buttons before the one that submits. */
    readonly others?: readonly Content[];
    readonly isSevere?: boolean;
    readonly children?: Content;
  }
}
