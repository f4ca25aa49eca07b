import { hastenKdf } from '../../support/hasty-kdf.js';
import { defineMatrix } from './matrix.js';

hastenKdf();

defineMatrix('seed');
