import { useMemo, useState } from 'preact/hooks';
import { type Content, Fragment, fill, h } from '../../h.js';
import { phraseStep } from '../../onboarding/backup.js';
import { newPassword } from '../../onboarding/protection.js';
import { note } from '../../pieces/lines.js';
import type { PanelProperties } from '../context.js';
import { CredentialForm } from '../credential.js';
import { SaveLink } from '../download.js';
import { useTask } from '../hooks.js';
import { StageView } from './flow.js';

/** Shows the recovery phrase, and lets the person confirm that it is written down. */
export function BackupPhrase({ panel }: PanelProperties): Content {
  const { words, wallet, account } = panel;
  const task = useTask(words);
  const [shown, show] = useState<{ readonly phrase: string; readonly passphrase: string } | null>(null);
  const address = account?.path === null ? undefined : account?.address;
  if (shown)
    return (
      <>
        {shown.passphrase !== '' && note(fill(words.withPassphrase, { passphrase: shown.passphrase }))}
        <StageView
          panel={panel}
          start={async (stage) =>
            stage.show(
              phraseStep(stage, shown.phrase, {
                other: { label: words.back, act: stage.cancel },
                async confirmed() {
                  await wallet.confirmBackup();
                  stage.done();
                },
              }),
            )
          }
          over={panel.back}
        />
      </>
    );
  return (
    <>
      <p class="soft">{words.showPhraseLead}</p>
      <CredentialForm
        panel={panel}
        task={{ ...task, run: (run, texts) => task.run(run, { ...texts, [-32602]: words.noPhrase }) }}
        confirm={words.showWords}
        submit={async (credential) =>
          show({
            phrase: await wallet.exportMnemonic(credential, address),
            // A passkey would be asked for a second time.
            passphrase:
              typeof credential === 'string' ? await wallet.exportPassphrase(credential, address) : '',
          })
        }
      />
    </>
  );
}

/** Makes one encrypted file of the whole wallet. */
export function BackupFile({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const [file, setFile] = useState<string | null>(null);
  const password = useMemo(() => newPassword('file-password', 'file-password-again'), []);
  if (file !== null)
    return (
      <>
        <p role="status">{words.fileReady}</p>
        <SaveLink text={file} name="wallet-backup.json" type="application/json" words={words} />
      </>
    );
  return (
    <>
      <p class="soft">{words.backupFileLead}</p>
      <CredentialForm
        panel={panel}
        task={task}
        confirm={words.makeFile}
        more={password.fields(words.filePassword, words)}
        submit={async (credential) => setFile(await wallet.backup(credential, password.read(words)))}
      />
    </>
  );
}
