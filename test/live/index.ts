/**
 * `SERVICE_URL=https://…/<key> npm run test:only live`: what a real node answers, beside what the seed and docs/notes/node.md#the-node
 * say. Reads only, with at most 200 requests; SERVICE_KEY_FUNDED=0x… sends one wei to itself too. Neither of them
 * is printed.
 */
const { SERVICE_URL: url, SERVICE_KEY_FUNDED: key } = process.env;

if (!url || !URL.canParse(url)) {
  process.stderr.write('SERVICE_URL: the address of a node, with its key, is required.\n');
  process.exit(2);
}
if (key !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(key)) {
  process.stderr.write('SERVICE_KEY_FUNDED: expected a private key, 0x and 64 hexadecimal digits.\n');
  process.exit(2);
}
// Loaded after the arguments were checked: it imports the libraries.
const { runLive } = await import('./run.js');
const { lines, failed, notRun } = await runLive({ url, ...(key && { fundedKey: key as `0x${string}` }) });
process.stdout.write(`${lines.join('\n')}\n`);
// An incomplete run is no success.
process.exit(failed > 0 ? 1 : notRun.length > 0 ? 3 : 0);
