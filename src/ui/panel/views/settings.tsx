import { own } from '../../../rpc/own.js';
import { type Content, Fragment, h } from '../../h.js';
import { formatMinutes } from '../../pieces/amounts.js';
import { button } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import { chip, errorLine } from '../../pieces/lines.js';
import { languages } from '../../words/words.js';
import type { PanelProperties, Place } from '../context.js';
import { useLoaded, useTask } from '../hooks.js';

/** Contacts, backup, what opens the wallet, how it looks, where it is kept, and its end. */
export function Settings({ panel }: PanelProperties): Content {
  const { words, wallet, vault, preferences } = panel;
  const task = useTask(words);
  const isDone = wallet.state().backup !== 'needed';
  const leads = (label: string, place: Place, note?: Content) => (
    <li>
      {button(
        <>
          <span class="grow name">{label}</span>
          {note}
          {icon('icon flips soft', 'M8 4 14 10 8 16')}
        </>,
        () => panel.go(place),
        { class: 'row' },
      )}
    </li>
  );
  return (
    <>
      <ul class="cards">{leads(words.contacts, { view: 'contacts' })}</ul>
      <h3>{words.backup}</h3>
      <ul class="cards">
        {leads(
          words.backupPhrase,
          { view: 'backup' },
          chip(isDone ? words.backupDone : words.backupNeeded, isDone ? 'good' : 'bad'),
        )}
        {leads(words.backupFile, { view: 'backup-file' })}
      </ul>
      <h3>{words.security}</h3>
      <ul class="cards">
        {leads(words.changePassword, { view: 'password' })}
        {leads(words.passkeys, { view: 'passkeys' })}
      </ul>
      {choice(
        'lock-after',
        words.lockAfter,
        own(wallet.state()).lockAfter ?? 0,
        lockTimes,
        (time) => (time === 0 ? words.lockAfterDefault : formatMinutes(time / 60_000, words)),
        (value) => task.run(() => wallet.setLockAfter(Number(value) || null)),
      )}
      {vault === 'unlocked' && (
        <div class="actions">{button(words.lock, () => task.run(() => wallet.lock()))}</div>
      )}
      <h3>{words.appearance}</h3>
      {choice(
        'language',
        words.languageLabel,
        preferences.language ?? 'auto',
        ['auto', ...languages] as const,
        (language) => words.languages[language],
        (value) => panel.prefer({ ...preferences, language: value === 'auto' ? undefined : value }),
      )}
      {choice(
        'theme',
        words.theme,
        preferences.theme ?? 'auto',
        ['auto', 'light', 'dark'],
        (theme) => words.themes[theme],
        (value) => panel.prefer({ ...preferences, theme: value === 'auto' ? undefined : value }),
      )}
      <h3>{words.storage}</h3>
      <Persistence panel={panel} />
      <h3>{words.danger}</h3>
      <ul class="cards">{leads(words.erase, { view: 'erase' })}</ul>
      {errorLine(task.error)}
    </>
  );
}

/** Milliseconds; 0 is the default. */
const lockTimes: readonly number[] = [0, 60_000, 300_000, 900_000, 3_600_000, 14_400_000];

function choice<Value extends string | number>(
  id: string,
  label: string,
  value: Value,
  values: readonly Value[],
  labelOf: (value: Value) => string,
  change: (value: Value) => void,
): Content {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value as Value)}>
        {values.map((each) => (
          <option value={each} key={each}>
            {labelOf(each)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Whether the browser keeps the data when space is short. */
function Persistence({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const isKept = useLoaded(async () => navigator.storage?.persisted?.() ?? false, [panel.version]).value;
  return (
    <>
      <p class="soft">{isKept ? words.storageKept : words.storageLoose}</p>
      {isKept === false && (
        <div class="actions">
          {button(words.storageAsk, () => task.run(async () => void (await wallet.persist())))}
        </div>
      )}
    </>
  );
}
