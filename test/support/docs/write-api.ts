import { writeReference } from './write-reference.js';

writeReference();
