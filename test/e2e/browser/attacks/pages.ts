import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Question } from '../../../../src/approvals/question.js';
import { type DialogDriver, openDialog } from '../../../support/dialog-driver.js';
import type { DialogPage } from '../dialog-page.js';

/** A page of a hostile site: what it has in its head and its body, beside the wallet's dialog. */
export const hostilePage = ({ head = '', body = '' }: { head?: string; body?: string } = {}): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>A hostile page</title>
    <link rel="icon" href="data:,">
    ${head}
    <script type="module" src="/test/e2e/browser/dialog-page.ts"></script>
  </head>
  <body><h1>A hostile page</h1>${body}</body>
</html>`;

/** Opens `html` as a page of the server at `url`. */
export async function openHostilePage(page: Page, url: string, html: string): Promise<void> {
  const address = `${url}/hostile.html`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto(address);
  await page.unroute(address);
  await page.waitForFunction(() => 'ask' in window);
}

/** Asks, and takes hold of the dialog. Motion is off, so that pictures can be compared. */
export async function askOn(page: Page, question: Question): Promise<DialogDriver> {
  await page.evaluate((asked) => (window as unknown as DialogPage).ask(asked, { theme: 'light' }), question);
  return openDialog(page, { kind: question.kind });
}

/** Waits until the dialog can be confirmed, with the focus in its document. */
export async function confirmable(dialog: DialogDriver): Promise<void> {
  await dialog.bringToFront();
  for (const end = Date.now() + 5_000; ; ) {
    if ((await dialog.buttons())[1]?.enabled) return;
    if (Date.now() > end) throw new Error('The dialog cannot be confirmed.');
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Codes of the questions that no person has answered. */
export const failuresOn = (page: Page) => page.evaluate(() => (window as unknown as DialogPage).failures);

export const answersOn = (page: Page) => page.evaluate(() => (window as unknown as DialogPage).answers);

/** Everything inside the dialog's rounded corners, and nothing of the page behind it. */
export async function pictureOf(page: Page, dialog: DialogDriver): Promise<Buffer> {
  const clip = await dialog.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + 8, y: top + 8, width: width - 16, height: height - 16 };
  });
  return page.screenshot({ clip, caret: 'hide' });
}

/** Keeps a picture where the environment names a folder for them. */
export async function keepPicture(name: string, picture: Buffer): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), picture);
}
