import { useRef } from 'preact/hooks';
import { own } from '../../../rpc/own.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { hasPasskeys } from '../../onboarding/protection.js';
import { formatDate } from '../../pieces/amounts.js';
import { textField } from '../../pieces/fields.js';
import { errorLine } from '../../pieces/lines.js';
import { disclosure } from '../../pieces/text.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { useLoaded, useTask } from '../hooks.js';
import type { PanelWallet } from '../wallet.js';
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

function PasskeyRow({ panel, passkey }: PanelProperties & { readonly passkey: Passkey }): Content {
  const { words, wallet, vault } = panel;
  const { id, name, createdAt, asleep, restores } = own(passkey);
  const task = useTask(words);
  const label = useRef<HTMLInputElement>(null);
  const wake = async () => void (await wallet.wakePasskey(id));
  const passkeyTexts = { 4001: words.passkeyCancelled, 4200: words.passkeyMissing };
  return (
    <li>
      <div class="line">
        <span class="grow">
          <bdi class="name">{name}</bdi>
          <small>{fill(words.made, { date: formatDate(createdAt, words) })}</small>
          {asleep && <small>{words.passkeyAsleep}</small>}
          {restores && <small>{words.passkeyRestores}</small>}
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
            {textField(`name-${id}`, words.name, label, name)}
          </Form>,
        )}
      {task.error !== null && errorLine(task.error)}
    </li>
  );
}

type Passkey = Awaited<ReturnType<PanelWallet['passkeys']>>[number];

function NewPasskey({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const name = useRef<HTMLInputElement>(null);
  const add = async () =>
    void (await wallet.addPasskey(name.current?.value.trim() || words.passkeyNameDefault));
  const refusals = {
    4001: words.passkeyNotMade,
    4200: words.passkeyMissing,
    [-32002]: words.passkeyExists,
  };
  return (
    <Form task={task} confirm={words.addPasskey} words={words} submit={() => task.run(add, refusals)}>
      {textField('passkey-name', words.passkeyName, name, words.passkeyNameDefault)}
    </Form>
  );
}
