import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { until } from '../until.js';
import { callOf, clickActions, keyActions, type Place, type Tab, type TestBrowser } from './browser.js';
import { matchIn, startProgram } from './process.js';

/**
 * WebKitGTK's small browser, driven over WebDriver, on a screen of its own.
 *
 * Every tab is a window: a tab beside another would stay hidden.
 *
 * @param looks whether a test looks at how pages are drawn. Otherwise they are drawn without a buffer of the GPU, which a
 *     machine that has none computes, for a third of the processor's time. Drawn so, some style sheets of a hostile page stop
 *     a window.
 */
export async function launchWebKit(path: string, screenPath: string, looks: boolean): Promise<TestBrowser> {
  const screen = startProgram(
    screenPath,
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const programs = [screen];
  const stop = async () => {
    for (const program of programs.splice(0).reverse()) await program.stop();
  };
  try {
    const display = await matchIn(screen.child.stdio[3] as Readable, /(\d+)\n/);
    const port = await freePort();
    programs.push(
      startProgram(path, [`--port=${port}`, '--host=127.0.0.1'], {
        stdio: 'ignore',
        env: {
          ...process.env,
          DISPLAY: `:${display}`,
          GDK_BACKEND: 'x11',
          NO_AT_BRIDGE: '1',
          ...(!looks && { WEBKIT_DISABLE_DMABUF_RENDERER: '1' }),
        },
      }),
    );
    const send = sender(`http://127.0.0.1:${port}`);
    await until(() => send<{ ready: boolean }>('GET', '/status').catch(() => null), { interval: 50 });
    const { sessionId, capabilities } = await send<Session>('POST', '/session', {
      // The tests have a certificate of their own.
      capabilities: { alwaysMatch: { acceptInsecureCerts: true } },
    });
    const session = `/session/${sessionId}`;
    // One window, and in it one frame, is the current one of the session: commands for another one wait.
    let last: Promise<unknown> = Promise.resolve();
    let current = '';
    // A window can only be opened from one that is there: this one, which stays empty.
    const first = await send<string>('GET', `${session}/window`);
    const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
      const result = last.then(run, run);
      last = result.catch(() => undefined);
      return result;
    };
    const command = <T>(method: string, end: string, body?: object) =>
      send<T>(method, `${session}${end}`, body);
    const enter = async (id: string) => {
      if (current !== id) await command('POST', '/window', { handle: id });
      current = id;
    };
    /** Runs commands in a window, or in the frame of it whose address contains `part`. */
    const at = <T>(id: string, part: string | null, run: () => Promise<T>): Promise<T> =>
      inTurn(async () => {
        await enter(id);
        if (part === null) return run();
        // Found for every command anew: the page may have put another frame in its place.
        const frame = await find(part);
        if (frame === null) throw new Error(`No frame ${part} is there.`);
        await command('POST', '/frame', { id: frame });
        return run().finally(() => command('POST', '/frame', { id: null }));
      });
    const execute = <T>(script: string, ...args: readonly unknown[]) =>
      command<T>('POST', '/execute/sync', { script, args });
    const find = (part: string) => execute<object | null>(`return (${findFrame})(arguments[0])`, part);

    const placeOf = (id: string, part: string | null): Place => ({
      async evaluate(read, ...args) {
        return JSON.parse(await at(id, part, () => execute<string>(`return ${callOf(read, args)}`)));
      },
      async clickAt(x, y) {
        await at(id, null, async () => {
          // The driver takes a point in a frame for one of the window.
          const script = 'const { x, y } = arguments[0].getBoundingClientRect(); return { x, y };';
          const from = part === null ? { x: 0, y: 0 } : await execute<Point>(script, await find(part));
          await command('POST', '/actions', { actions: clickActions(from.x + x, from.y + y) });
        });
      },
      type: (...keys) => at(id, part, () => command('POST', '/actions', { actions: keyActions(keys) })),
    });

    const tabOf = (id: string): Tab => ({
      ...placeOf(id, null),
      id,
      goto: (url) => at(id, null, () => command('POST', '/url', { url })),
      reload: () => at(id, null, () => command('POST', '/refresh')),
      // Without a window manager the window under the pointer has the focus: the one that covers the screen.
      activate: () =>
        at(id, null, () => command('POST', '/window/rect', { x: 0, y: 0, width: 1_200, height: 900 })),
      picture: async () =>
        Buffer.from(await at(id, null, () => command<string>('GET', '/screenshot')), 'base64'),
      async frame(part) {
        return (await at(id, null, () => find(part))) && placeOf(id, part);
      },
      async close() {
        await at(id, null, () => command('DELETE', '/window'));
      },
    });

    return {
      name: 'WebKit',
      version: capabilities.browserVersion,
      async open(url) {
        const { handle } = await at(first, null, () =>
          command<{ handle: string }>('POST', '/window/new', { type: 'window' }),
        );
        const tab = tabOf(handle);
        await tab.goto(url);
        return tab;
      },
      tabs: async () => (await inTurn(() => command<readonly string[]>('GET', '/window/handles'))).map(tabOf),
      async close() {
        await send('DELETE', session).catch(() => undefined);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Session {
  readonly sessionId: string;
  readonly capabilities: { readonly browserVersion: string };
}

/** Runs in the page. The driver takes a frame in a shadow root for one that is gone. */
function findFrame(part: string): Element | null {
  return Array.from(document.querySelectorAll('iframe')).find(({ src }) => src.includes(part)) ?? null;
}

function sender(url: string) {
  return async <T>(method: string, path: string, body: object = {}): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
}

/** The driver tells nobody which port it would have chosen. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
