import { useMemo, useState } from 'preact/hooks';
import { type Content, Fragment, h } from '../../h.js';
import { newPassword } from '../../onboarding/protection.js';
import { link } from '../../pieces/fields.js';
import { errorLine } from '../../pieces/lines.js';
import type { PanelProperties } from '../context.js';
import { CredentialForm } from '../credential.js';
import { GuardedButton } from '../guarded.js';
import { useLoaded, useTask } from '../hooks.js';
import { unlocked } from './unlock.js';

/** Changes the password, or does away with it where there are passkeys. */
export function Password({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const removal = useTask(words);
  const [isChanged, setChanged] = useState(false);
  const password = useMemo(() => newPassword('new-password', 'repeat-password'), []);
  const passkeys = useLoaded(() => wallet.passkeys(), [panel.version]).value ?? [];
  return (
    <>
      <CredentialForm
        panel={panel}
        task={task}
        confirm={words.changePassword}
        label={words.currentPassword}
        more={password.fields(words.newPassword, words)}
        submit={async (credential) => {
          setChanged(false);
          await wallet.changePassword(credential, password.read(words));
          password.clear();
          setChanged(true);
        }}
      />
      <p role="status">{isChanged && words.passwordChanged}</p>
      <p class="links">{link(words.forgot, () => panel.go({ view: 'recovery' }))}</p>
      {passkeys.length > 0 && (
        <>
          <h3>{words.removePassword}</h3>
          <p class="soft">{words.removePasswordNote}</p>
          {unlocked(panel, () => (
            <div class="actions">
              <GuardedButton
                label={words.removePassword}
                act={() =>
                  removal.run(() => wallet.removePassword(), { [-32602]: words.removePasswordRefused })
                }
                isSevere
                isBusy={removal.isRunning}
              />
            </div>
          ))}
          {errorLine(removal.error)}
        </>
      )}
    </>
  );
}
