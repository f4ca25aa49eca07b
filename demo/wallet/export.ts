import { area, button, choice, during, explain, find, input, say, section } from '../dom.js';
import type { Panel } from './panel.js';

/** Milliseconds after which an exported secret is hidden. */
const hideAfter = 60_000;

/** The card that exports a secret after the password was entered, and hides it after a minute. */
export function startExport(panel: Panel): void {
  const { wallet } = panel;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const hide = () => {
    clearTimeout(timer);
    area('exported-secret').value = '';
    section('exported').hidden = true;
    section('export-form').hidden = false;
    say(button('exported-copy'), 'Copy');
  };

  const show = async () => {
    say(section('export-error'), '');
    const { account } = panel.shown();
    const password = input('export-password').value;
    input('export-password').value = '';
    if (!account) return;
    const kind = choice('export-kind').value;
    area('exported-secret').value =
      kind === 'mnemonic'
        ? await wallet.exportMnemonic(password)
        : kind === 'private-key'
          ? await wallet.exportPrivateKey(account.address, password)
          : await wallet.exportKeystore(account.address, password);
    section('export-form').hidden = true;
    section('exported').hidden = false;
    timer = setTimeout(hide, hideAfter);
  };

  section('export-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void during(button('export-submit'), show, (error) => say(section('export-error'), explain(error)));
  });
  button('exported-copy').addEventListener('click', async () => {
    await navigator.clipboard.writeText(area('exported-secret').value);
    say(button('exported-copy'), 'Copied');
  });
  button('exported-hide').addEventListener('click', hide);
  find('export', HTMLDetailsElement).addEventListener('toggle', hide);
}
