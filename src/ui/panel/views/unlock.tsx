import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, h } from '../../h.js';
import { unprovenIn } from '../../pieces/errors.js';
import { link } from '../../pieces/fields.js';
import type { Panel, PanelProperties } from '../context.js';
import { CredentialForm } from '../credential.js';
import { useTask } from '../hooks.js';

/** Unlocks the wallet, then goes back. */
export const Unlock = ({ panel }: PanelProperties): Content => <UnlockForm panel={panel} done={panel.back} />;

/** A view that needs the keys: while they are locked, they are unlocked in its place. */
export const unlocked = (panel: Panel, content: () => Content): Content =>
  panel.vault === 'unlocked' ? (
    content()
  ) : (
    <>
      <p class="soft">{panel.words.unlockToSee}</p>
      <UnlockForm panel={panel} done={() => {}} />
    </>
  );

function UnlockForm({ panel, done }: PanelProperties & { done: () => void }): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  return (
    <>
      <CredentialForm
        panel={panel}
        task={task}
        confirm={words.unlockPanel}
        submit={async (credential) => {
          const unlock = (acceptUnproven: readonly Address[]) =>
            wallet.unlock(credential, { acceptUnproven });
          try {
            await unlock([]);
            done();
          } catch (error) {
            const found = unprovenIn(error);
            if (found === null) throw error;
            panel.go({ view: 'unproven', found, unlock });
          }
        }}
      />
      <p class="links">{link(words.forgot, () => panel.go({ view: 'recovery' }))}</p>
    </>
  );
}
