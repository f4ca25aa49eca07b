import { createRef } from 'preact';
import type { OwnerAccount, OwnerOptions } from '../../approvals/owner.js';
import { own } from '../../rpc/own.js';
import { h } from '../h.js';
import { codeOf, Problem, unprovenIn } from '../pieces/errors.js';
import { fileField, passwordField } from '../pieces/fields.js';
import { disclosure } from '../pieces/text.js';
import type { StepWords } from '../words/words.js';
import { replacementStep } from './confirmation.js';
import { discoveryStep } from './discovery.js';
import { protectionStep } from './protection.js';
import { keepData, type Setup } from './setup.js';
import type { Stage, Step } from './stage.js';

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
      const chosen = group.current?.querySelector<HTMLInputElement>('input:checked')?.value;
      const kind = kinds.find((each) => each === chosen) ?? 'phrase';
      const form = { title: words.importKinds[kind][0], ...forms[kind](stage) };
      stage.show(formStep(setup, form, () => stage.show(importStep(setup, back))));
    },
  };
}

interface Form extends Pick<Step, 'lead' | 'subject'> {
  /** Reads and checks what was entered. @throws Problem */
  readonly read: () => Promise<Import>;
  /** There may be further accounts of the phrase. */
  readonly hasPhrase: boolean;
  /** Messages for errors of the import, by code. */
  readonly refusals: Readonly<Record<number, string>>;
}

/** After the form comes the protection, and where a wallet is replaced, a confirmation. */
function formStep(setup: Setup, form: Form & Pick<Step, 'title'>, back: () => void): Step {
  const { stage, replace, isOpen } = own(setup);
  const { words } = stage;
  const replaceMissing = setup.replaceMissing || undefined;
  const { title, lead, subject } = form;
  const again = () => stage.show(formStep(setup, form, back));
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
    title,
    lead,
    subject,
    confirm: words.continue,
    other: { label: words.back, act: back },
    async submit() {
      const run = await form.read();
      if (isOpen) return finish(run, {});
      stage.show(
        protectionStep(stage, {
          confirm: replace ? words.continue : words.importConfirm,
          back: again,
          async use(protection) {
            if (!replace) return finish(run, { ...protection, replaceMissing });
            stage.show(
              replacementStep(stage, {
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

function phraseForm({ owner, words }: Stage): Form {
  const phrase = createRef<HTMLTextAreaElement>();
  const extra = createRef<HTMLInputElement>();
  return {
    lead: words.phraseFormLead,
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
        passwordField('passphrase', words.passphrase, extra, 'off', words.passphraseNote),
      ),
    ],
    async read() {
      const { readPhrase } = await import('./phrase.js');
      const mnemonic = readPhrase(phrase.current?.value ?? '', words);
      const passphrase = extra.current?.value || undefined;
      return async (options) => [await owner.importMnemonic(mnemonic, { ...options, passphrase })];
    },
    hasPhrase: true,
    refusals: {},
  };
}

function keyForm({ owner, words }: Stage): Form {
  const key = createRef<HTMLInputElement>();
  return {
    lead: words.keyFormLead,
    subject: [passwordField('private-key', words.privateKey, key, 'off')],
    async read() {
      const typed = key.current?.value.trim() ?? '';
      if (!/^(?:0x)?[\da-f]{64}$/i.test(typed)) throw new Problem(words.keyWrong);
      return async (options) => [await owner.importPrivateKey(typed, options)];
    },
    hasPhrase: false,
    refusals: { [-32602]: words.keyWrong },
  };
}

function fileForm(
  { words }: Stage,
  lead: string,
  importOf: (text: string, password: string, options: OwnerOptions) => ReturnType<Import>,
): Form {
  const file = createRef<HTMLInputElement>();
  const password = createRef<HTMLInputElement>();
  return {
    lead,
    subject: [
      fileField('file', words.file, file),
      passwordField('file-password', words.filePassword, password, 'off'),
    ],
    async read() {
      const text = await readFile(file.current, words);
      const typed = password.current?.value;
      if (!typed) throw new Problem(words.filePasswordMissing);
      return (options) => importOf(text, typed, options);
    },
    hasPhrase: false,
    refusals: { 4100: words.filePasswordWrong, [-32602]: words.fileDamaged, [-32002]: words.fileNewer },
  };
}

const forms: Readonly<Record<Kind, (stage: Stage) => Form>> = {
  phrase: phraseForm,
  'private-key': keyForm,
  keystore: (stage) =>
    fileForm(stage, stage.words.keystoreFormLead, async (...file) => [
      await stage.owner.importKeystore(...file),
    ]),
  backup: (stage) => fileForm(stage, stage.words.backupFormLead, (...file) => stage.owner.restore(...file)),
};

/** At most this many bytes: a file of keys has some thousands. */
const maxFileSize = 4 * 1024 * 1024;

async function readFile(field: HTMLInputElement | null, words: StepWords): Promise<string> {
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
