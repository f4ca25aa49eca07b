import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { defineMatrix } from './matrix.js';

hastenKdfOfFile();

defineMatrix('node');
