import { appendFileSync, writeFileSync } from 'node:fs';
import { soakSends } from './sends.js';

writeFileSync('/tmp/dbg.log', '');
const t0 = Date.now();
(globalThis as any).dbg = (text: string) => appendFileSync('/tmp/dbg.log', `${Date.now() - t0} ${text}\n`);
const report = await soakSends({ payments: 700, seed: Number(process.argv[2] ?? 3) });
console.log(JSON.stringify({ ...report, defects: report.defects.slice(0, 30) }, null, 1));
process.exit(0);
