#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkSite, type Finding } from './check.js';
import { type HeaderFormat, headerFile, headerFormats } from './header-files.js';
import { readDeployable, writeSite } from './site-folder.js';

const usage = `graft-host: for a wallet that lives on an origin of its own

  graft-host build wallet.json [--out dist-wallet] [--root /srv/wallet]
      Writes the folder of the site: its documents and scripts, wallet.json, and the settings of web servers.
      --root: where the folder will be on the server.

  graft-host check https://wallet.example.com [--json]
      Fetches its files and says what is missing or wrong, and what each is there for.
      Ends with 0 if nothing is, with 1 if something is, with 2 if it cannot be checked.

  graft-host headers wallet.json --format ${headerFormats.join('|')} [--root /srv/wallet]
      Prints the settings of a web server. --root: where the files are on it.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      format: { type: 'string' },
      out: { type: 'string', default: 'dist-wallet' },
      root: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, subject, ...others] = positionals;
  if (values.help) console.log(usage);
  else if (!subject || others.length > 0) throw new TypeError(usage);
  else if (command === 'check') await check(subject, values.json);
  else if (command === 'build') await build(subject, resolve(values.out), values.root);
  else if (command === 'headers') await headers(subject, values.format, values.root);
  else throw new TypeError(usage);
}

/** The package's built documents, beside the folder of this file. */
const documents = join(import.meta.dirname, '../wallet-site');

async function build(path: string, folder: string, root: string | undefined): Promise<void> {
  const configuration = await readFile(path, 'utf8');
  await writeSite(documents, configuration, folder, root);
  const { origin } = readDeployable(configuration);
  console.log(
    `The wallet’s site is in ${folder}, with settings for nginx, Caddy and _headers in it.\n` +
      `Serve it at ${origin}, then: graft-host check ${origin}`,
  );
}

async function check(site: string, asJson: boolean): Promise<void> {
  const findings = await checkSite(site);
  if (findings.length > 0) process.exitCode = 1;
  if (asJson) console.log(JSON.stringify({ site, ok: findings.length === 0, findings }, null, 2));
  else console.log(report(site, findings));
}

function report(site: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return `${site}: nothing is missing.`;
  const lines: string[] = [];
  for (const path of new Set(findings.map((each) => each.path))) {
    lines.push(path);
    for (const { subject, problem, detail, protects } of findings.filter((each) => each.path === path))
      lines.push(`  ${problem.padEnd(7)}  ${subject}: ${detail}`, `           ${protects}`);
    lines.push('');
  }
  const count = findings.length === 1 ? '1 thing is' : `${findings.length} things are`;
  return [...lines, `${site}: ${count} missing or wrong.`].join('\n');
}

async function headers(path: string, format: string | undefined, root: string | undefined): Promise<void> {
  if (!headerFormats.includes(format as HeaderFormat))
    throw new TypeError(`--format: one of ${headerFormats.join(', ')}`);
  const configuration = readDeployable(await readFile(path, 'utf8'));
  process.stdout.write(headerFile(format as HeaderFormat, configuration, root));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
