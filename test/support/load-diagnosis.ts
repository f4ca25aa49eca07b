/** A test with fake timers waits for no file: what reads failures must have loaded before. */
import '../../src/service/errors/diagnose.js';
