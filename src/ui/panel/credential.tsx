import { useRef } from 'preact/hooks';
import type { Credential } from '../../approvals/owner.js';
import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';
import { Problem, textsOfUnlocking } from '../pieces/errors.js';
import { passwordField } from '../pieces/fields.js';
import type { Panel } from './context.js';
import { Form } from './form.js';
import { GuardedButton } from './guarded.js';
import { type Task, useLoaded } from './hooks.js';

/** Asks for the password or a passkey, for something that needs the owner. */
export function CredentialForm({ panel, task, confirm, submit, more, label }: Properties): Content {
  const { words, wallet } = panel;
  const password = useRef<HTMLInputElement>(null);
  const passkeys = useLoaded(() => wallet.passkeys(), [panel.version]);
  const run = (credential: Credential) =>
    task.run(
      async () => {
        await submit(credential);
        if (password.current) password.current.value = '';
      },
      textsOfUnlocking(credential, words),
    );
  return (
    <Form
      task={task}
      confirm={confirm}
      words={words}
      submit={() => {
        const typed = password.current?.value ?? '';
        if (typed === '') task.run(() => Promise.reject(new Problem(words.passwordMissing)));
        else run(typed);
      }}
      others={
        passkeys.value?.some((passkey) => !own(passkey).asleep) && (
          <GuardedButton
            label={words.usePasskey}
            act={() => run({ passkey: true })}
            isBusy={task.isRunning}
            key="passkey"
          />
        )
      }
    >
      {more}
      {passwordField('credential', label ?? words.password, password, 'current-password')}
    </Form>
  );
}

interface Properties {
  readonly panel: Panel;
  readonly task: Task;
  /** The label of the button. */
  readonly confirm: string;
  readonly submit: (credential: Credential) => Promise<void>;
  /** Fields before the password. */
  readonly more?: Content | undefined;
  /** The label of the password. */
  readonly label?: string | undefined;
}
