import { area, button, choice, during, explain, input, make, say, section } from '../dom.js';
import type { Panel } from './panel.js';

const placeholders = {
  mnemonic: ['Recovery phrase', 'Twelve to twenty-four words'],
  'private-key': ['Private key', '64 hexadecimal digits'],
  keystore: ['Keystore file', '{ "version": 3, … }'],
} as const;

/** The form that creates or imports a wallet. Only `backUp` receives the recovery phrase of a new one. */
export function startStart(panel: Panel, backUp: (create: () => Promise<string>) => Promise<void>): void {
  const { wallet } = panel;
  const kind = () => choice('import-kind').value as keyof typeof placeholders;
  const isImport = () => input('start-import').checked;
  const failed = (error: unknown) => say(section('start-error'), explain(error));

  const updateForm = () => {
    const [label, placeholder] = placeholders[kind()];
    section('import-fields').hidden = !isImport();
    section('keystore-password-field').hidden = kind() !== 'keystore';
    say(section('import-secret-label'), label);
    area('import-secret').placeholder = placeholder;
    say(button('start-submit'), isImport() ? 'Import' : 'Create wallet');
    say(section('start-error'), '');
  };
  for (const id of ['start-create', 'start-import', 'import-kind'])
    section(id).addEventListener('change', updateForm);
  updateForm();

  const submit = async () => {
    say(section('start-error'), '');
    const password = input('new-password').value;
    if (password.length < 8) throw new Error('Choose a password of at least eight characters.');
    if (password !== input('repeat-password').value) throw new Error('The two passwords differ.');
    const replaceMissing = panel.shown().vault === 'missing';
    const options = { password, replaceMissing };
    const secret = area('import-secret').value.trim();
    const create = async () => (await wallet.create(password, { replaceMissing })).mnemonic;
    if (!isImport()) await backUp(create);
    else if (kind() === 'mnemonic') await wallet.importMnemonic(secret, options);
    else if (kind() === 'private-key') await wallet.importPrivateKey(secret, options);
    else await wallet.importKeystore(secret, input('keystore-password').value, options);
    for (const id of ['new-password', 'repeat-password', 'keystore-password']) input(id).value = '';
    area('import-secret').value = '';
    await panel.refresh();
  };

  section('start-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void during(button('start-submit'), submit, failed);
  });

  panel.watch(({ vault }) => {
    section('start-missing').hidden = vault !== 'missing';
    section('start-hello').hidden = vault === 'missing';
  });
}

/** Shows the recovery phrase once, then asks for two of its words. Returns its start; calls `done` at the end. */
export function startBackup(isPlayMoney: () => boolean, done: () => void): (mnemonic: string) => void {
  let words: readonly string[] = [];
  let asked: readonly [number, number] = [0, 1];

  const showWords = () => {
    section('phrase').replaceChildren(...words.map((word) => make('li', {}, word)));
    section('phrase-step').hidden = false;
    section('confirm-step').hidden = true;
    section('phrase-title').focus();
  };
  const end = () => {
    words = [];
    section('phrase').replaceChildren();
    for (const id of ['confirm-first', 'confirm-second']) input(id).value = '';
    done();
  };

  button('phrase-copy').addEventListener('click', async () => {
    await navigator.clipboard.writeText(words.join(' '));
    say(button('phrase-copy'), 'Copied');
  });
  button('phrase-done').addEventListener('click', () => {
    const half = words.length / 2;
    asked = [Math.floor(Math.random() * half), Math.floor(half + Math.random() * half)];
    say(section('confirm-first-label'), `Word ${asked[0] + 1}`);
    say(section('confirm-second-label'), `Word ${asked[1] + 1}`);
    section('phrase').replaceChildren();
    section('phrase-step').hidden = true;
    section('confirm-step').hidden = false;
    button('confirm-skip').hidden = !isPlayMoney();
    say(section('confirm-error'), '');
    input('confirm-first').focus();
  });
  button('confirm-back').addEventListener('click', showWords);
  button('confirm-skip').addEventListener('click', end);
  section('confirm-step').addEventListener('submit', (event) => {
    event.preventDefault();
    const given = ['confirm-first', 'confirm-second'].map((id) => input(id).value.trim().toLowerCase());
    if (asked.every((index, i) => words[index] === given[i])) end();
    else say(section('confirm-error'), 'Those are not the words. Look again at what you wrote down.');
  });

  return (mnemonic) => {
    words = mnemonic.split(' ');
    say(button('phrase-copy'), 'Copy');
    showWords();
  };
}
