import { createRef } from 'preact';
import { useMemo } from 'preact/hooks';
import { own } from '../../../rpc/own.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { hasPasskeys } from '../../onboarding/protection.js';
import { formatTime } from '../../pieces/amounts.js';
import { textField } from '../../pieces/fields.js';
import { disclosure } from '../../pieces/text.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { useLoaded, useTask } from '../hooks.js';
import { unlocked } from './unlock.js';

/** The passkeys that open the wallet. */
export function Passkeys({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const passkeys = useLoaded(() => wallet.passkeys(), [panel.version]).value;
  return (
    <>
      <p class="soft">{words.passkeysLead}</p>
      {passkeys?.length === 0 && <p>{words.noPasskeys}</p>}
      <ul class="cards">
        {passkeys?.map((passkey) => (
          <PasskeyRow panel={panel} passkey={passkey} key={passkey.id} />
        ))}
      </ul>
      <h3>{words.addPasskey}</h3>
      {hasPasskeys() ? (
        unlocked(panel, () => <NewPasskey panel={panel} />)
      ) : (
        <p class="soft">{words.passkeyMissing}</p>
      )}
    </>
  );
}

function PasskeyRow({ panel, passkey }: PasskeyRow.Properties): Content {
  const { words, wallet, vault } = panel;
  const { id, name, createdAt, asleep } = own(passkey);
  const task = useTask(words);
  const label = useMemo(() => createRef<HTMLInputElement>(), []);
  const wake = async () => void (await wallet.wakePasskey(id));
  const passkeyTexts = { 4001: words.passkeyCancelled, 4200: words.passkeyMissing };
  const date = formatTime(String(Math.floor(createdAt / 1000)), words) ?? '';
  return (
    <li>
      <div class="line">
        <span class="grow">
          <bdi class="name">{name}</bdi>
          <small>{fill(words.made, { date })}</small>
          {asleep && <small>{words.passkeyAsleep}</small>}
        </span>
        {asleep && vault === 'unlocked' && hasPasskeys() && (
          <GuardedButton
            label={words.wakePasskey}
            act={() => task.run(wake, passkeyTexts)}
            isBusy={task.isRunning}
            class="small"
            aria-label={`${words.wakePasskey}: ${name}`}
          />
        )}
        {vault === 'unlocked' && (
          <GuardedButton
            label={words.remove}
            act={() => task.run(() => wallet.removePasskey(id), { [-32602]: words.lastWayIn })}
            isBusy={task.isRunning}
            class="small"
            aria-label={`${words.remove}: ${name}`}
          />
        )}
      </div>
      {vault === 'unlocked' &&
        disclosure(
          words.rename,
          <Form
            task={task}
            confirm={words.save}
            words={words}
            submit={() =>
              task.run(async () => {
                const next = label.current?.value.trim() ?? '';
                if (next !== '') await wallet.renamePasskey(id, next);
              })
            }
          >
            {textField(`name-${id}`, words.name, label, { value: name })}
          </Form>,
        )}
      {task.error !== null && (
        <p class="error" role="alert">
          {task.error}
        </p>
      )}
    </li>
  );
}

declare namespace PasskeyRow {
  interface Properties extends PanelProperties {
    readonly passkey: {
      readonly id: string;
      readonly name: string;
      readonly createdAt: number;
      readonly asleep?: true;
    };
  }
}

function NewPasskey({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const name = useMemo(() => createRef<HTMLInputElement>(), []);
  return (
    <Form
      task={task}
      confirm={words.addPasskey}
      words={words}
      submit={() =>
        task.run(
          async () => {
            await wallet.addPasskey(name.current?.value.trim() || words.passkeyNameDefault);
          },
          { 4001: words.passkeyNotMade, 4200: words.passkeyMissing, [-32002]: words.passkeyExists },
        )
      }
    >
      {textField('passkey-name', words.passkeyName, name, { value: words.passkeyNameDefault })}
    </Form>
  );
}
