import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { icon } from '../../src/provider/icon.js';
import { launchChromium } from './chromium.js';

/** Draws the icons of the wallet's site as an app. A maskable one has no corners, because devices cut it to their own shape. */
const folder = fileURLToPath(new URL('../../examples/wallet-site/', import.meta.url));
const icons: Readonly<Record<string, { readonly size: number; readonly html: string }>> = {
  'icon-192.png': { size: 192, html: `<img src="${icon}">` },
  'icon-512.png': { size: 512, html: `<img src="${icon}">` },
  'icon-maskable-512.png': {
    size: 512,
    html: `<style>body { background: #172b26 } img { padding: 10vw; width: 80vw }</style><img src="${icon}">`,
  },
};

const browser = await launchChromium();
for (const [name, { size, html }] of Object.entries(icons)) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(
    `<style>body { margin: 0 } img { display: block; width: 100vw; box-sizing: content-box }</style>${html}`,
  );
  await writeFile(folder + name, await page.screenshot({ omitBackground: true }));
}
await browser.close();
