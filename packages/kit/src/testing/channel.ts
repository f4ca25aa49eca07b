import type { Answer, Question } from '../../../../src/approvals/question.js';
import { own } from '../../../../src/rpc/own.js';
import type { PageMessage } from './page-protocol.js';
import { createScripted, type scripted, type TestQuestions } from './scripted.js';

/**
 * The test's end of the channel to the wallets in its pages, for any tool that can run a script before those of a page and
 * expose a function to it. `Place` is the tool's type of a page or a frame.
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
  /** Handles a message of a page. The result is the reply to the page. */
  receive(message: PageMessage, place: Place): Promise<Answer | undefined>;
  /** Withdraws the open questions of a page that was left; by default those of all pages. */
  leave(isGone?: (place: Place) => boolean): void;
}

/**
 * Creates the test's end of the line.
 *
 * @example
 * import { pageScript } from 'graft-kit/playwright/library';
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
  const requests = createRequestLog<Place>();
  const {
    ask,
    fail,
    grant: _,
    ...questions
  } = createScripted(
    {
      ...rest,
      // The page has the password, and unlocks.
      password: '',
      perform: perform && ((question, answer) => perform(question, answer, places.get(question) as Place)),
    },
    requests.print,
  );
  const askTest = async ({ id, question }: MessageOf<'ask'>, place: Place): Promise<Answer> => {
    const withdrawn = new AbortController();
    open.set(id, { place, withdrawn });
    places.set(question, place);
    try {
      return await ask(question, { signal: withdrawn.signal, async unlock() {} });
    } finally {
      open.delete(id);
    }
  };
  return {
    questions,
    async receive(message, place) {
      if (message.type === 'ask') return askTest(message, place);
      if (message.type === 'failed')
        fail(new Error(`The wallet could not be set up in the page: ${message.message}`));
      else if (message.type === 'withdraw') open.get(message.id)?.withdrawn.abort();
      else if (message.type !== 'continue') requests.add(message, place);
      return undefined;
    },
    leave(isGone = () => true) {
      for (const { place, withdrawn } of open.values()) if (isGone(place)) withdrawn.abort();
    },
  };
}

type MessageOf<Type> = Extract<PageMessage, { readonly type: Type }>;

/** How many requests an error names. */
const shownRequests = 5;

/** Records the requests of the pages, for the error that no question was asked. */
function createRequestLog<Place>() {
  let isLoaded = false;
  let requests: { readonly place: Place; readonly method: string; readonly code: number | undefined }[] = [];
  return {
    add(message: MessageOf<'loaded' | 'requested'>, place: Place): void {
      isLoaded = true;
      const isNewLoad = message.type === 'loaded';
      requests = requests.filter(
        (each) => each.place !== place || !(isNewLoad || each.method === message.method),
      );
      if (!isNewLoad) requests.push({ place, method: message.method, code: own(message).code });
    },
    print(): string {
      if (!isLoaded) return 'No page has loaded the wallet yet';
      if (requests.length === 0)
        return 'The page has requested nothing of this wallet. A dapp that makes a wallet of its own asks through that one: see "A dapp that makes its own wallet" in docs/guides/testing.md of the package';
      const shown = requests.map(({ method, code }) => {
        const name = method === 'unknown' ? 'an unknown method' : method;
        return code === undefined ? name : `${name} failed with ${code}`;
      });
      // Over a bridge, a frame and a window may report the same.
      return `The last requests of the page: ${[...new Set(shown)].slice(-shownRequests).join(', ')}`;
    },
  };
}

export declare namespace createChannel {
  /** The options of {@link createChannel}. */
  interface Options<Place = undefined> extends Pick<scripted.Options, 'answers' | 'timeout'> {
    /** Carries an answer out in a page that shows the dialog. */
    readonly perform?: ((question: Question, answer: Answer, place: Place) => Promise<void>) | undefined;
  }
}
