import type { BrowserName, TestBrowser } from './browser.js';
import { launchTabbedChromium } from './chromium.js';
import { launchFirefox } from './firefox.js';
import { findProgram } from './programs.js';
import { launchWebKit } from './webkit.js';

export declare namespace launchBrowser {
  interface Options {
    /** Whether a test looks at how pages are drawn. Otherwise the browser may draw them in a cheaper way. Default false. */
    readonly looks?: boolean;
  }
}

/** Starts a browser as a person does: with its popup blocker, and with storage that is separate for each site. */
export async function launchBrowser(
  name: BrowserName,
  { looks = false }: launchBrowser.Options = {},
): Promise<TestBrowser> {
  const browser = await launchers[name](looks);
  process.stderr.write(`${browser.name}: using ${browser.version}\n`);
  return browser;
}

const launchers: Record<BrowserName, (looks: boolean) => Promise<TestBrowser>> = {
  Chromium: launchTabbedChromium,
  Firefox: async () => launchFirefox(await findProgram('firefox')),
  WebKit: async (looks) => launchWebKit(await findProgram('webkit'), await findProgram('screen'), looks),
};
