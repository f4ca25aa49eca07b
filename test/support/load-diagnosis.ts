/** Loads the part that reads failures before the tests: one with fake timers cannot wait for a file. */
import '../../src/service/errors/diagnose.js';
