import { mkdir } from 'node:fs/promises';
import { test } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { openShadows } from '../../support/open-shadows.js';
import * as questions from '../../support/questions.js';
import { servePage } from '../../support/serve.js';

test('shots', async () => {
  const served = await servePage({
    html: '<!doctype html><html lang=en><meta charset=utf-8><title>x</title><link rel=icon href=data:,><script type=module src=/test/e2e/browser/ui-page.ts></script><body style="background:#dde"><h1>App</h1>',
  });
  const browser = await launchChromium();
  await mkdir('/tmp/u/shots', { recursive: true });
  const W = Number(process.env.W ?? 460),
    H = Number(process.env.H ?? 820);
  const theme = process.env.THEME ?? 'light';
  const lang = process.env.LANGUAGE;
  const shot = async (name: string, run: (page: import('playwright-core').Page) => Promise<unknown>) => {
    const page = await browser.newPage({ viewport: { width: W, height: H }, reducedMotion: 'reduce' });
    await openShadows(page);
    await page.goto(served.url);
    await page.waitForFunction(() => 'ui' in window);
    await run(page);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `/tmp/u/shots/${name}-${theme}-${W}${lang ?? ''}.png` });
    await page.close();
  };
  const o = { theme, ...(lang ? (lang === 'he' ? { pseudo: true } : { language: lang }) : {}) };
  const open =
    (view: string, ...names: (string | RegExp)[]) =>
    async (page: import('playwright-core').Page) => {
      await page.evaluate(([v, opt]) => (window as any).ui.open(v, undefined, opt), [view, o] as const);
      await page.locator('.panel h2').waitFor();
      for (const n of names) await page.getByRole('button', { name: n }).first().click();
    };
  const ask =
    (q: unknown, ...names: (string | RegExp)[]) =>
    async (page: import('playwright-core').Page) => {
      await page.evaluate(([v, opt]) => (window as any).ui.ask(v, opt), [q, o] as const);
      await page.locator('dialog h2').waitFor();
      for (const n of names) await page.getByRole('button', { name: n }).first().click();
    };
  const { id, origin, network } = questions.payment;
  const onboarding = { id, origin, network, locked: false, warnings: [], kind: 'onboarding', vault: 'empty' };
  const all: Record<string, (p: import('playwright-core').Page) => Promise<unknown>> = {
    home: open('home'),
    send: async (p) => {
      await open('send')(p);
      await p.locator('#recipient').fill('alice.rsk');
      await p.locator('#amount-field').fill('0.25');
      await p.waitForTimeout(900);
    },
    receive: open('receive'),
    activity: open('activity'),
    accounts: open('accounts'),
    sites: open('sites'),
    networks: open('networks'),
    settings: open('settings'),
    ...(lang
      ? {}
      : {
          tx: open('activity', /Sent 0.25 tRBTC.*Waiting/),
          account: open('accounts', 'Details of Old key'),
          passkeys: open('settings', 'Passkeys'),
          phrase: open('settings', /Recovery phrase/),
          'backup-file': open('settings', 'Backup file'),
          password: ask(onboarding, 'Create a wallet'),
          words: async (p) => {
            await ask(onboarding, 'Create a wallet')(p);
            await p.getByLabel('New password').fill('several words');
            await p.getByLabel('The same again').fill('several words');
            await p.getByRole('button', { name: 'Create the wallet' }).click();
          },
          import: ask(onboarding, 'I have a wallet'),
          locked: ask({ ...questions.payment, locked: true }),
          lockedpw: ask({ ...questions.payment, locked: true }, 'Use the password'),
          forgot: ask({ ...questions.payment, locked: true }, 'Forgot'),
        }),
    welcome: ask(onboarding),
    payment: ask(questions.payment),
    approval: ask(questions.unlimitedApproval),
  };
  for (const [name, run] of Object.entries(all))
    if (!process.env.ONLY || process.env.ONLY.split(',').includes(name)) await shot(name, run);
  await browser.close();
  await served.stop();
}, 200_000);
