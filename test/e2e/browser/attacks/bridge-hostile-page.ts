/**
 * A page of an attacker. It speaks the bridge's protocol by itself, as a dapp, as a wallet or as somebody in between, and
 * keeps everything that it gets.
 */

export interface HostilePage {
  /** Every window message, oldest first. */
  readonly heard: readonly Heard[];
  /** What was asked, for a test that looks at the answers later. */
  readonly answers: Promise<unknown>[];
  /** Ports whose other end was given away, oldest first. */
  readonly lines: readonly Line[];
  /** Inserts a frame. Resolves once its document has said that it is ready, or has loaded and said nothing. */
  embed(src: string, attributes?: Readonly<Record<string, string>>): Promise<HTMLIFrameElement>;
  /** An `open` of the present version. */
  greeting(more?: object): object;
  /** Makes a line and posts `greeting` with its other end. */
  open(target: Window, more?: object): Line;
  /** Makes a line around a port. */
  line(port: MessagePort): Line;
  /** Resolves after `count` messages of the window have been heard. */
  hears(count: number): Promise<void>;
}

export interface Heard {
  readonly source: Window | null;
  readonly origin: string;
  readonly data: unknown;
  readonly ports: readonly MessagePort[];
}

export interface Message {
  readonly t: string;
  readonly [member: string]: unknown;
}

export interface Line {
  readonly port: MessagePort;
  readonly received: readonly Message[];
  post(message: unknown): void;
  /** Resolves with the first message of this type, also an earlier one. */
  got(type: string, fits?: (message: Message) => boolean): Promise<Message>;
  /** Asks, and resolves with the result, or `{ error }`. */
  ask(method: string, params?: unknown): Promise<unknown>;
  /** Resolves when the other side has handled all that was posted before. */
  settled(): Promise<void>;
  /** Whether `surface` is answered with `shown`. Default true. */
  shows: boolean;
}

const heard: Heard[] = [];
const lines: Line[] = [];
const waiting = new Set<() => void>();

window.addEventListener('message', ({ source, origin, data, ports }) => {
  console.debug('heard', location.origin, JSON.stringify(data));
  heard.push({ source: source as Window | null, origin, data, ports });
  for (const each of waiting) each();
});

const until = (isSo: () => boolean) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!isSo()) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });

function line(port: MessagePort): Line {
  const received: Message[] = [];
  const watchers = new Set<() => void>();
  let count = 0;
  let pings = 0;
  const made: Line = {
    port,
    received,
    shows: true,
    post: (message) => port.postMessage(message),
    got: (type, fits = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const found = received.find((each) => each?.t === type && fits(each));
          if (!found) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    async ask(method, params = []) {
      const id = ++count;
      port.postMessage({ t: 'request', id, method, json: JSON.stringify(params) });
      const { json, error } = await made.got('response', (each) => each.id === id);
      return typeof json === 'string' ? JSON.parse(json) : { error };
    },
    async settled() {
      const n = 1_000_000 + ++pings;
      port.postMessage({ t: 'ping', n });
      await made.got('pong', (each) => each.n === n);
    },
  };
  port.onmessage = ({ data }) => {
    received.push(data);
    if (data?.t === 'surface' && made.shows)
      port.postMessage({ t: data.open ? 'shown' : 'hidden', surface: data.id });
    for (const each of watchers) each();
  };
  lines.push(made);
  return made;
}

const page: HostilePage = {
  heard,
  lines,
  line,
  answers: [],
  async embed(src, attributes = {}) {
    const frame = document.createElement('iframe');
    for (const [name, value] of Object.entries({ width: '700', height: '700', ...attributes }))
      frame.setAttribute(name, value);
    frame.src = src;
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    const isReady = () =>
      heard.some(({ source, data }) => source === frame.contentWindow && (data as Message)?.t === 'ready');
    await Promise.race([
      until(isReady),
      loaded.then(() => new Promise((resolve) => setTimeout(resolve, 250))),
    ]);
    return frame;
  },
  greeting: (more) => ({
    ...{ graft: 'bridge', t: 'open', v: [1], nonce: 'ab'.repeat(16), app: { name: 'Hostile' } },
    ...more,
  }),
  open(target, more) {
    const { port1, port2 } = new MessageChannel();
    target.postMessage(page.greeting(more), '*', [port2]);
    return line(port1);
  },
  hears: (count) => until(() => heard.length >= count),
};

Object.assign(window, { page });
if (location.hash === '#ready' && window !== parent)
  parent.postMessage({ graft: 'bridge', t: 'ready', v: [1] }, '*');
