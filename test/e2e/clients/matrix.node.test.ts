import { defineMatrix } from './matrix.js';

defineMatrix('node');
