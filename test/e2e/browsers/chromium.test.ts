import { describeBridge } from './bridge.js';

// The rest of Chromium's tests is in `test/e2e/browser`.
describeBridge('Chromium');
