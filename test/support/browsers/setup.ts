import { canInstall } from '../debian.js';
import { chosenBrowsers } from './chosen.js';
import { install } from './programs.js';

/**
 * Says which browsers run, and begins to install them while the other tests run. A failure shows in the tests that need
 * them, which try again and say why.
 */
export async function setup(): Promise<void> {
  process.stderr.write(`Browsers: ${chosenBrowsers(process.env).join(', ')}\n`);
  if (await canInstall()) void install().catch(() => undefined);
}
