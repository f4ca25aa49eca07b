import type { BrowserName, TestBrowser } from './browser.js';
import { launchTabbedChromium } from './chromium.js';
import { launchFirefox } from './firefox.js';
import { findProgram } from './programs.js';
import { launchWebKit } from './webkit.js';

/** Starts a browser as a person does: with its popup blocker, and with storage that is separate for each site. */
export async function launchBrowser(name: BrowserName): Promise<TestBrowser> {
  const browser = await launchers[name]();
  process.stderr.write(`${browser.name}: using ${browser.version}\n`);
  return browser;
}

const launchers: Record<BrowserName, () => Promise<TestBrowser>> = {
  Chromium: launchTabbedChromium,
  Firefox: async () => launchFirefox(await findProgram('firefox')),
  WebKit: async () => launchWebKit(await findProgram('webkit'), await findProgram('screen')),
};
