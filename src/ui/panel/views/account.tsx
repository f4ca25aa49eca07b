import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Credential } from '../../../approvals/owner.js';
import { checksumAddress } from '../../../rpc/address.js';
import { hasBridge } from '../../../rpc/known-contracts.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, h } from '../../h.js';
import { newPassword } from '../../onboarding/protection.js';
import { party } from '../../pieces/address.js';
import { Problem } from '../../pieces/errors.js';
import { button, textField } from '../../pieces/fields.js';
import { errorLine, note, siteLink } from '../../pieces/lines.js';
import { box } from '../../pieces/text.js';
import type { Exported, PanelProperties } from '../context.js';
import { CopyButton } from '../copy.js';
import { CredentialForm } from '../credential.js';
import { SaveLink } from '../download.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { useTask } from '../hooks.js';
import { later } from '../later.js';
import { unlocked } from './unlock.js';

type Properties = PanelProperties & { readonly address: Address };

const WatchedAccount = later(async () => (await import('./contacts.js')).WatchedAccount);

/** One account: its name, its address, its keys, and how to put it away. */
export function Account({ panel, address }: Properties): Content {
  const { words, wallet, network, accounts } = panel;
  const account = accounts.find((each) => each.address === address);
  const task = useTask(words);
  const hiding = useTask(words);
  const name = useRef<HTMLInputElement>(null);
  if (!account) return <p class="soft">{words.none}</p>;
  if (account.watchOnly) return <WatchedAccount panel={panel} account={account} />;
  const whole = checksumAddress(address, network.chainId);
  const link = wallet.explorerUrl({ address });
  return (
    <>
      {party(address, network.chainId, account.label)}
      <div class="actions wrap">
        <CopyButton text={whole} label={words.copyAddress} words={words} plain />
        {link !== undefined && siteLink(words.explorer, link)}
      </div>
      <Form
        task={task}
        confirm={words.rename}
        words={words}
        submit={() =>
          task.run(async () => {
            const label = name.current?.value.trim() ?? '';
            if (label !== '') await wallet.rename(address, label);
          })
        }
      >
        {textField('label', words.name, name, account.label)}
      </Form>
      <div class="actions wrap">
        {button(words.allowances, () => panel.go({ view: 'allowances', address }))}
        {hasBridge(network.chainId) && button(words.bitcoin, () => panel.go({ view: 'bitcoin', address }))}
      </div>
      <h3>{words.backup}</h3>
      <div class="actions wrap">
        {button(words.showKey, () => panel.go({ view: 'export', address, kind: 'key' }))}
        {button(words.saveKeystore, () => panel.go({ view: 'export', address, kind: 'keystore' }))}
      </div>
      <h3>{words.hide}</h3>
      <p class="soft">{words.hideNote}</p>
      <div class="actions">
        <GuardedButton
          label={words.hideAccount}
          isBusy={hiding.isRunning}
          act={() =>
            hiding.run(
              async () => {
                await wallet.hide(address, true);
                panel.back();
              },
              { [-32602]: words.hideRefused },
            )
          }
        />
      </div>
      {errorLine(hiding.error)}
      {account.path === null && (
        <>
          <h3>{words.removeAccount}</h3>
          {unlocked(panel, () => (
            <Removal panel={panel} address={address} label={account.label} />
          ))}
        </>
      )}
    </>
  );
}

function Removal({ panel, address, label }: Properties & { label: string }): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const typed = useRef<HTMLInputElement>(null);
  return (
    <Form
      task={task}
      confirm={words.removeAccount}
      words={words}
      isSevere
      submit={() =>
        task.run(async () => {
          if (typed.current?.value.trim() !== label) throw new Problem(words.removeNote);
          await wallet.remove(address);
          panel.restart('accounts');
        })
      }
    >
      <p class="soft">{words.removeNote}</p>
      {textField('removed', words.name, typed)}
    </Form>
  );
}

/** Milliseconds after which a secret disappears. */
const shownFor = 60_000;

/** Shows the private key of an account in one of its forms, or makes a keystore file of it. */
export function Export({ panel, address, kind }: Properties & { kind: Exported }): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const [secret, setSecret] = useState<string | null>(null);
  const password = useMemo(() => newPassword('file-password', 'file-password-again'), []);
  useEffect(() => {
    if (secret === null) return;
    const timer = setTimeout(() => setSecret(null), shownFor);
    return () => clearTimeout(timer);
  }, [secret]);

  const exported = async (credential: Credential): Promise<string> =>
    ({
      key: () => wallet.exportPrivateKey(address, credential),
      wif: () => wallet.exportWif(address, credential),
      keystore: () => wallet.exportKeystore(address, credential, password.read(words)),
    })[kind]();

  if (secret !== null && kind !== 'keystore')
    return (
      <>
        {note(kind === 'wif' ? words.wifNote : words.secretNote)}
        {box(kind === 'wif' ? words.wif : words.secret, secret, 'code')}
        <div class="actions">
          <CopyButton text={secret} label={words.copy} words={words} plain />
          {button(words.hide, () => setSecret(null))}
        </div>
      </>
    );
  if (secret !== null)
    return (
      <>
        <p>{words.fileReady}</p>
        <SaveLink text={secret} name={`${address.slice(2)}.json`} type="application/json" words={words} />
      </>
    );
  return (
    <CredentialForm
      panel={panel}
      task={task}
      confirm={kind === 'keystore' ? words.makeFile : words.show}
      more={
        kind === 'wif' ? (
          <p>{words.wifLead}</p>
        ) : (
          kind === 'keystore' && password.fields(words.filePassword, words)
        )
      }
      submit={async (credential) => setSecret(await exported(credential))}
    />
  );
}
