import { writeReference } from './write-reference.js';

await writeReference();
