import { createRef } from 'preact';
import type { OwnerAccount, OwnerOptions } from '../../approvals/owner.js';
import { own } from '../../rpc/own.js';
import { type Content, h } from '../h.js';
import { codeOf, Problem, unprovenIn } from '../pieces/errors.js';
import { fileField, passwordField } from '../pieces/fields.js';
import { disclosure } from '../pieces/text.js';
import type { PanelWords } from '../words/words.js';
import { confirmationStep } from './confirmation.js';
import { discoveryStep } from './discovery.js';
import { protectionStep } from './protection.js';
import { keepData, type Setup } from './setup.js';
import type { Step } from './stage.js';

type Kind = 'phrase' | 'private-key' | 'keystore' | 'backup';

/** Imports the entered secret or file. */
type Import = (options: OwnerOptions) => Promise<readonly OwnerAccount[]>;

/** Asks what the person has: a phrase, a key, or a file. */
export function importStep(setup: Setup, back: () => void): Step {
  const { stage, replace } = setup;
  const { words } = stage;
  // A wallet's replacement must bring all of its accounts back.
  const kinds: readonly Kind[] = replace
    ? ['phrase', 'backup']
    : ['phrase', 'backup', 'private-key', 'keystore'];
  const group = createRef<HTMLElement>();
  const forms = { phrase: phraseForm, 'private-key': keyForm, keystore: keystoreForm, backup: backupForm };
  return {
    title: words.importTitle,
    lead: words.importLead,
    subject: [
      <div class="choices" role="radiogroup" aria-label={words.importTitle} ref={group}>
        {kinds.map((kind, index) => (
          <label class="choice">
            <input type="radio" name="import" value={kind} defaultChecked={index === 0} />
            <span>
              <span class="name">{words.importKinds[kind][0]}</span>
              <small>{words.importKinds[kind][1]}</small>
            </span>
          </label>
        ))}
      </div>,
    ],
    confirm: words.continue,
    other: { label: words.back, act: back },
    submit() {
      const chosen = group.current?.querySelector<HTMLInputElement>('input:checked')?.value ?? 'phrase';
      stage.show(own(forms)[chosen as Kind](setup, () => stage.show(importStep(setup, back))));
    },
  };
}

interface Form {
  readonly title: string;
  readonly lead: string;
  readonly subject: readonly Content[];
  /** Reads and checks what was entered. @throws Problem */
  readonly read: () => Promise<Import>;
  /** There may be further accounts of the phrase. */
  readonly hasPhrase?: true;
  /** Messages for errors of the import, by code. */
  readonly refusals?: Readonly<Record<number, string>>;
}

/** After the form comes the protection, and where a wallet is replaced, a confirmation. */
function formStep(setup: Setup, given: Form, back: () => void): Step {
  const form = own(given);
  const { stage, replace, replaceMissing, isOpen } = own(setup);
  const { words } = stage;
  const again = () => stage.show(formStep(setup, form, back));
  const missing = replaceMissing ? { replaceMissing } : {};
  const finish = async (run: Import, options: OwnerOptions): Promise<void> => {
    let accounts: readonly OwnerAccount[];
    try {
      accounts = await run(options);
    } catch (error) {
      const found = unprovenIn(error);
      if (found) {
        const { unprovenStep } = await import('./unproven.js');
        const confirm = () => finish(run, { ...options, acceptUnproven: found.accounts });
        return stage.show(unprovenStep(stage, found, { back: again, confirm }));
      }
      const code = codeOf(error);
      const text = code === null ? undefined : own(form.refusals)[code];
      throw text === undefined ? error : new Problem(text);
    }
    keepData(stage);
    if (form.hasPhrase) stage.show(discoveryStep(stage, accounts));
    else stage.done(accounts);
  };
  return {
    title: form.title,
    lead: form.lead,
    subject: form.subject,
    confirm: words.continue,
    other: { label: words.back, act: back },
    async submit() {
      const run = await form.read();
      if (isOpen) return finish(run, {});
      stage.show(
        protectionStep(setup, {
          confirm: replace ? words.continue : words.importConfirm,
          back: again,
          async use(protection) {
            if (!replace) return finish(run, { ...protection, ...missing });
            stage.show(
              confirmationStep(stage, {
                title: words.replaceTitle,
                lead: words.replaceLead,
                word: words.replaceWord,
                confirm: words.replaceConfirm,
                back: again,
                run: () => finish(run, { ...protection, replace: true }),
              }),
            );
          },
        }),
      );
    },
  };
}

function phraseForm(setup: Setup, back: () => void): Step {
  const { owner, words } = setup.stage;
  const phrase = createRef<HTMLTextAreaElement>();
  const passphrase = createRef<HTMLInputElement>();
  return formStep(
    setup,
    {
      title: words.importKinds.phrase[0],
      lead: words.phraseFormLead,
      hasPhrase: true,
      subject: [
        <div class="field">
          <label for="phrase">{words.phrase}</label>
          <textarea
            id="phrase"
            rows="3"
            dir="ltr"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            ref={phrase}
          />
        </div>,
        disclosure(
          words.passphraseMore,
          passwordField('passphrase', words.passphrase, passphrase, 'off', words.passphraseNote),
        ),
      ],
      async read() {
        const { readPhrase } = await import('./phrase.js');
        const mnemonic = readPhrase(phrase.current?.value ?? '', words);
        const extra = passphrase.current?.value ?? '';
        return async (options) => [
          await owner.importMnemonic(mnemonic, { ...options, ...(extra !== '' && { passphrase: extra }) }),
        ];
      },
    },
    back,
  );
}

function keyForm(setup: Setup, back: () => void): Step {
  const { owner, words } = setup.stage;
  const key = createRef<HTMLInputElement>();
  return formStep(
    setup,
    {
      title: words.importKinds['private-key'][0],
      lead: words.keyFormLead,
      subject: [passwordField('private-key', words.privateKey, key, 'off')],
      async read() {
        const typed = key.current?.value.trim() ?? '';
        if (!/^(?:0x)?[\da-f]{64}$/i.test(typed)) throw new Problem(words.keyWrong);
        return async (options) => [await owner.importPrivateKey(typed, options)];
      },
      refusals: { [-32602]: words.keyWrong },
    },
    back,
  );
}

function keystoreForm(setup: Setup, back: () => void): Step {
  const { owner, words } = setup.stage;
  return fileForm(setup, back, words.importKinds.keystore[0], words.keystoreFormLead, (text, password) => {
    return async (options) => [await owner.importKeystore(text, password, options)];
  });
}

function backupForm(setup: Setup, back: () => void): Step {
  const { owner, words } = setup.stage;
  return fileForm(setup, back, words.importKinds.backup[0], words.backupFormLead, (text, password) => {
    return (options) => owner.restore(text, password, options);
  });
}

function fileForm(
  setup: Setup,
  back: () => void,
  title: string,
  lead: string,
  importOf: (text: string, password: string) => Import,
): Step {
  const { words } = setup.stage;
  const file = createRef<HTMLInputElement>();
  const password = createRef<HTMLInputElement>();
  return formStep(
    setup,
    {
      title,
      lead,
      subject: [
        fileField('file', words.file, file),
        passwordField('file-password', words.filePassword, password, 'off'),
      ],
      async read() {
        const text = await readFile(file.current, words);
        if (!password.current?.value) throw new Problem(words.filePasswordMissing);
        return importOf(text, password.current.value);
      },
      refusals: { 4100: words.filePasswordWrong, [-32602]: words.fileDamaged, [-32002]: words.fileNewer },
    },
    back,
  );
}

/** At most this many bytes: a file of keys has some thousands. */
const maxFileSize = 4 * 1024 * 1024;

async function readFile(field: HTMLInputElement | null, words: PanelWords): Promise<string> {
  const chosen = field?.files?.[0];
  if (!chosen) throw new Problem(words.fileMissing);
  if (chosen.size > maxFileSize) throw new Problem(words.fileDamaged);
  const text = await chosen.text();
  try {
    JSON.parse(text);
  } catch {
    throw new Problem(words.fileDamaged);
  }
  return text;
}
