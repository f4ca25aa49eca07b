import { createRef } from 'preact';
import type { Question } from '../../approvals/question.js';
import type { Warning } from '../../approvals/warning.js';
import { own } from '../../rpc/own.js';
import { type Content, Fragment, h, render, sentence } from '../h.js';
import { badge } from '../pieces/badge.js';
import { button, link } from '../pieces/fields.js';
import { chevron } from '../pieces/icons.js';
import { readSite } from '../pieces/site.js';
import { dangerHeadlines, explainedDangers, warningList } from '../pieces/warnings.js';
import type { DialogWords } from '../words/words.js';
import type { View } from './views/view.js';

/** The dialog around every view, as {@link createFrame} draws it. */
export type Frame = ReturnType<typeof createFrame>;

export declare namespace Frame {
  interface Settings {
    /** The credential that unlocks the keys when the person confirms; `null` where nothing is locked. */
    readonly unlockBy?: 'password' | 'passkey' | null | undefined;
    /** Switches between the two; absent where there is no passkey. */
    readonly onOtherWay?: (() => void) | undefined;
    /** Starts the recovery of a wallet whose password is forgotten; absent where recovery is unavailable. */
    readonly onForgot?: (() => void) | undefined;
    /** Starts the view's flow; absent for a view without a flow. */
    readonly onFlow?: (() => void) | undefined;
    /** Called when the other button is pressed. */
    readonly onReject?: (() => void) | undefined;
    /** The label of the other button. Default: to reject, or for a question that only unlocks to cancel. */
    readonly reject?: string | undefined;
    /** There is no other button. */
    readonly only?: boolean | undefined;
    /** It is a step of a flow, not the question itself, whose warnings are left out. */
    readonly isStep?: true | undefined;
    /** The step cannot be undone. */
    readonly isSevere?: boolean | undefined;
  }
}

/** Matches a danger's detail that fits above the view; a longer one is shown in it. */
const shortDetail = /^.{0,120}$/;

/** CSS pixels of a window in which one danger in full leaves too little room for the rest; as in `conditions.ts`. */
const compactHeight = 640;

/** Draws the dialog around every view: origin, network, dangers, what unlocks the keys, and the two buttons. Only the view scrolls. */
export function createFrame(
  question: Question,
  first: View,
  words: DialogWords,
  dialog: HTMLDialogElement,
  firstSettings: Frame.Settings,
) {
  const isUnlock = question.kind === 'unlock';
  const heading = createRef<HTMLElement>();
  const body = createRef<HTMLElement>();
  const password = createRef<HTMLInputElement>();
  const confirm = createRef<HTMLButtonElement>();
  const foot = createRef<HTMLElement>();
  const top = createRef<HTMLElement>();
  let view = first;
  let settings = own(firstSettings);
  let error: string | null = null;
  let busy: string | null = null;
  let isUnread = false;
  /** A new number for each view, so that no view inherits the state of the previous fields. */
  let count = 0;

  dialog.setAttribute('lang', words.language);
  dialog.setAttribute('dir', words.direction);
  dialog.setAttribute('aria-labelledby', 'title');
  dialog.setAttribute('aria-describedby', 'site lead amount');

  // A person who types again has read the error.
  dialog.addEventListener('input', () => {
    if (error === null) return;
    error = null;
    draw();
  });

  /** Scrolls on by the visible height less a few lines: the dangers first. */
  const scrollOn = (): void => {
    const areas = [...dialog.querySelectorAll('.dangers, .body'), dialog];
    const area = areas.find((each) => each.scrollTop + each.clientHeight < each.scrollHeight - 1);
    area?.scrollBy(0, area.clientHeight * 0.8);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    scrollOn();
  };

  const unlocking = (): Content => {
    const { unlockBy, onOtherWay, onForgot } = settings;
    if (!unlockBy || view.informs) return null;
    return (
      <>
        {unlockBy === 'passkey' ? (
          <p>{words.passkeyHint}</p>
        ) : (
          <>
            <label for="password">{words.password}</label>
            {!isUnlock && <small>{words.passwordHint}</small>}
            <input
              type="password"
              id="password"
              key="password"
              // A page that frames the wallet must not get a saved password filled in without a person's choice.
              autocomplete={window.top === window ? 'current-password' : 'off'}
              aria-describedby="error"
              aria-invalid={String(error !== null)}
              readOnly={busy !== null}
              ref={password}
            />
          </>
        )}
        {(onOtherWay || onForgot) && (
          <p class="links">
            {onOtherWay && link(unlockBy === 'passkey' ? words.usePassword : words.usePasskey, onOtherWay)}
            {onForgot && link(words.forgot, onForgot)}
          </p>
        )}
      </>
    );
  };

  const draw = (): void => {
    // The view of a shortfall explains it already.
    const isSaid = ({ code }: Warning) => view.informs && code === 'insufficient-funds';
    const warnings: readonly Warning[] = settings.isStep
      ? []
      : question.warnings.filter((warning) => !isSaid(warning));
    const dangers = warnings.filter(({ severity }) => severity === 'danger');
    const isTall = ({ detail = '' }: Warning) => innerHeight < compactHeight || !shortDetail.test(detail);
    const isCompact = dangers.length > 1 || dangers.some(isTall);
    const others = warnings.filter(({ severity }) => severity !== 'danger');
    const isSevere = settings.isSevere ?? (!view.informs && dangers.length > 0);
    dialog.toggleAttribute('data-severe', isSevere);
    dialog.toggleAttribute('data-busy', busy !== null);
    const rejectLabel = settings.reject ?? (isUnlock ? words.cancel : words.reject);
    render(
      <>
        <div class="top" key="top" ref={top}>
          {headerOf(question, words)}
          {dangers.length > 0 && (
            <div class="dangers">
              {isCompact ? dangerHeadlines(dangers, words) : warningList(dangers, words)}
              {end()}
            </div>
          )}
        </div>
        <div class="body" ref={body} key={`${question.id} ${count}`}>
          <h2 id="title" tabindex="-1" ref={heading}>
            {view.title}
          </h2>
          <p class="lead" id="lead">
            {view.lead}
          </p>
          {isCompact && explainedDangers(dangers, words)}
          {view.subject}
          {view.more}
          {warningList(others, words)}
          {isUnread && (
            <div class="rest" role="button" tabindex="0" key="rest" onClick={scrollOn} onKeyDown={onKeyDown}>
              {words.readOn}
              {chevron()}
            </div>
          )}
          {end()}
        </div>
        <div class="foot" key="foot" ref={foot}>
          {unlocking()}
          <p class="error" id="error" role="alert" key="error">
            {error}
          </p>
          <p class="unseen" role="status" key="status">
            {busy}
          </p>
          <div class="actions" key="actions">
            {!(view.informs || settings.only) && (
              <button type="button" key="reject" onClick={settings.onReject}>
                {rejectLabel}
              </button>
            )}
            {view.flow && settings.onFlow && button(view.flow.label, settings.onFlow, { key: 'flow' })}
            <button type="button" class="confirm" ref={confirm} key="confirm">
              {view.confirm}
            </button>
          </div>
        </div>
      </>,
      dialog,
    );
    if (body.current) body.current.inert = busy !== null;
  };
  draw();

  return {
    dialog,
    get heading() {
      return heading.current as HTMLElement;
    },
    get body() {
      return body.current as HTMLElement;
    },
    /** The area of the buttons. It stays the same from view to view. */
    foot: foot.current as HTMLElement,
    /** Whether the origin and the dangers are within the window. In a low one the view and the buttons scroll below them. */
    isTopShown: (): boolean =>
      Array.from((top.current as HTMLElement).children).every((each) => {
        const box = each.getBoundingClientRect();
        return box.top > -1 && box.bottom < innerHeight + 1;
      }),
    /** The ends of what has to be seen before a question is approved: of the dangers, and of the view. */
    get ends(): readonly Element[] {
      return [...dialog.querySelectorAll(':is(.dangers, .body) > .bottom')];
    },
    /** Present while a password is asked for. */
    get password() {
      return password.current;
    },
    /** Absent where a view only offers to go back. The element stays the same from view to view. */
    confirm: confirm.current as HTMLButtonElement,
    /** Shows another view, or the same one with other settings. */
    show(next: View, nextSettings: Frame.Settings = settings): void {
      if (next !== view) {
        count++;
        isUnread = false;
      }
      view = next;
      settings = own(nextSettings);
      error = null;
      draw();
    },
    /** Offers to scroll on to the end of the view. */
    showUnread(unread: boolean): void {
      if (unread === isUnread) return;
      isUnread = unread;
      draw();
    },
    /** Shows an error and announces it to assistive technology; `null` removes it. */
    showError(text: string | null): void {
      error = text;
      draw();
    },
    /** Announces a running operation and makes the content inert; `null` ends it. */
    showBusy(text: string | null): void {
      busy = text;
      draw();
    },
  };
}

/** A marker at the end of an area, which is in view when that end is. */
const end = () => <div class="bottom" key="end" />;

/** The requesting origin and the network, with a note on an insecure or internationalised host name. */
function headerOf({ origin, network, waiting }: Question, words: DialogWords): Content {
  const site = readSite(origin);
  return (
    <div class="head" id="site">
      <span class="site" dir="ltr">
        {site.before}
        <b>{site.registrable}</b>
        {site.after}
      </span>
      {badge(network, words)}
      {waiting && (
        <span class="waiting">
          {sentence(words.waiting, { index: String(waiting.index), count: String(waiting.count) })}
        </span>
      )}
      {network.addedBy !== undefined && <small>{words.addedNetwork}</small>}
      {!site.secure && <small>{words.insecure}</small>}
      {site.foreign && <small>{words.foreignLetters}</small>}
    </div>
  );
}
