import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { connectBidi } from './bidi.js';
import { callOf, clickActions, keyActions, type Place, type Tab, type TestBrowser } from './browser.js';
import { matchIn, startProgram } from './process.js';

/**
 * The popup blocker stays on, which the protocol would turn off; a new profile fetches nothing; and the screen is drawn ten times a
 * second, which saves a fifth of the processor's time. All other preferences are those of a person.
 */
const preferences = {
  'dom.disable_open_during_load': true,
  'layout.frame_rate': 10,
  'app.normandy.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
};

/** Firefox, driven over WebDriver BiDi. */
export async function launchFirefox(path: string): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'graft-firefox-'));
  await writeFile(
    join(profile, 'user.js'),
    Object.entries(preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(''),
  );
  const program = startProgram(
    path,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const stop = async () => {
    await program.stop();
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const url = await matchIn(program.child.stderr as Readable, /listening on (ws:\S+)/);
    const bidi = await connectBidi(`${url}/session`);
    const { capabilities } = await bidi.send<{ capabilities: { browserVersion: string } }>('session.new', {
      // The tests have a certificate of their own.
      capabilities: { alwaysMatch: { acceptInsecureCerts: true } },
    });

    const placeOf = (context: string): Place => ({
      async evaluate(read, ...args) {
        const outcome = await bidi.send<Evaluated>('script.evaluate', {
          expression: callOf(read, args),
          awaitPromise: true,
          target: { context },
        });
        if (outcome.type === 'exception') throw new Error(outcome.exceptionDetails.text);
        return JSON.parse(outcome.result.value);
      },
      async clickAt(x, y) {
        await bidi.send('input.performActions', { context, actions: clickActions(x, y) });
      },
      async type(...keys) {
        await bidi.send('input.performActions', { context, actions: keyActions(keys) });
      },
    });

    const treeOf = async (root?: string): Promise<readonly Context[]> =>
      (await bidi.send<{ contexts: readonly Context[] }>('browsingContext.getTree', root ? { root } : {}))
        .contexts;

    const tabOf = (id: string): Tab => ({
      ...placeOf(id),
      id,
      async goto(to) {
        await bidi.send('browsingContext.navigate', { context: id, url: to, wait: 'complete' });
      },
      async reload() {
        await bidi.send('browsingContext.reload', { context: id, wait: 'complete' });
      },
      async activate() {
        await bidi.send('browsingContext.activate', { context: id });
      },
      async picture() {
        const { data } = await bidi.send<{ data: string }>('browsingContext.captureScreenshot', {
          context: id,
        });
        return Buffer.from(data, 'base64');
      },
      async frame(part) {
        const queue = [...(await treeOf(id))];
        for (const each of queue) {
          if (each.context !== id && each.url.includes(part)) return placeOf(each.context);
          queue.push(...(each.children ?? []));
        }
        return null;
      },
      async close() {
        await bidi.send('browsingContext.close', { context: id });
      },
    });

    return {
      name: 'Firefox',
      version: capabilities.browserVersion,
      async open(to) {
        const { context } = await bidi.send<Context>('browsingContext.create', { type: 'window' });
        const tab = tabOf(context);
        await tab.goto(to);
        return tab;
      },
      tabs: async () => (await treeOf()).map(({ context }) => tabOf(context)),
      async close() {
        bidi.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Context {
  readonly context: string;
  readonly url: string;
  readonly children: readonly Context[] | null;
}

type Evaluated =
  | { readonly type: 'success'; readonly result: { readonly value: string } }
  | { readonly type: 'exception'; readonly exceptionDetails: { readonly text: string } };
