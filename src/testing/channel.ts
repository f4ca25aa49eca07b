import type { Answer, Question } from '../approvals/question.js';
import { own } from '../rpc/own.js';
import type { PageMessage } from './page-protocol.js';
import { scripted, type TestQuestions } from './scripted.js';

/**
 * The test's end of the line to the wallets in its pages, for any tool that can run a script before those of a page and
 * give the page a function. `Place` is what the tool calls a page or a frame.
 *
 * @example
 * import type { Page } from 'playwright-core';
 *
 * const { questions, receive, leave } = createChannel<Page>();
 * await page.exposeFunction(channelName, (message: PageMessage) => receive(message, page));
 * page.on('close', () => leave((place) => place === page)); // no question of a page that is gone stays open
 * await questions.approve({ kind: 'connect' });
 */
export interface Channel<Place = undefined> {
  /** The questions of all pages. */
  readonly questions: TestQuestions;
  /** Takes a message of a page; what it resolves with goes back to the page. */
  receive(message: PageMessage, place: Place): Promise<Answer | undefined>;
  /** Takes back the open questions of a page that was left. By default those of all pages. */
  leave(isGone?: (place: Place) => boolean): void;
}

/**
 * Creates the test's end of the line.
 *
 * @example
 * import { pageScript } from 'graft-wallet/playwright/library';
 * import puppeteer from 'puppeteer-core';
 *
 * const browser = await puppeteer.launch({ channel: 'chrome' });
 * const page = await browser.newPage();
 * const { questions, receive } = createChannel();
 * await page.exposeFunction(channelName, receive);
 * await page.evaluateOnNewDocument(await pageScript({ chain }));
 * await page.goto('http://127.0.0.1:3000');
 * await questions.approve({ kind: 'connect' });
 */
export function createChannel<Place = undefined>(options: createChannel.Options<Place> = {}): Channel<Place> {
  const { perform, ...rest } = own(options);
  const open = new Map<string, { readonly place: Place; readonly withdrawn: AbortController }>();
  const places = new WeakMap<Question, Place>();
  const { ask, fail, ...questions } = scripted({
    ...rest,
    // The page has the password, and unlocks.
    password: '',
    ...(perform && {
      perform: (question, answer) => perform(question, answer, places.get(question) as Place),
    }),
  });
  return {
    questions,
    async receive(message, place) {
      if (message.type === 'failed') {
        fail(new Error(`The wallet could not be set up in the page: ${message.message}`));
        return undefined;
      }
      if (message.type === 'withdraw') {
        open.get(message.id)?.withdrawn.abort();
        return undefined;
      }
      const { id, question } = message;
      const withdrawn = new AbortController();
      open.set(id, { place, withdrawn });
      places.set(question, place);
      try {
        return await ask(question, { signal: withdrawn.signal, async unlock() {} });
      } finally {
        open.delete(id);
      }
    },
    leave(isGone = () => true) {
      for (const { place, withdrawn } of open.values()) if (isGone(place)) withdrawn.abort();
    },
  };
}

export declare namespace createChannel {
  /** The options of {@link createChannel}. */
  interface Options<Place = undefined> extends Pick<scripted.Options, 'answers' | 'timeout'> {
    /** Carries an answer out in a page that shows the dialog. */
    readonly perform?: (question: Question, answer: Answer, place: Place) => Promise<void>;
  }
}
