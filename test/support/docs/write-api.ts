import { mkdirSync, writeFileSync } from 'node:fs';
import { readEntries } from './api-model.js';
import { apiPages } from './api-pages.js';

mkdirSync('docs/api', { recursive: true });
for (const [path, text] of apiPages(readEntries())) writeFileSync(path, text);
