import { defineMatrix } from './matrix.js';

defineMatrix('seed');
