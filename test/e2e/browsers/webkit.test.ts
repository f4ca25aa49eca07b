import { describeBridge } from './bridge.js';
import { describeDialog } from './dialog.js';
import { describeFacts } from './facts.js';
import { describePush } from './push.js';
import { describeStory } from './story.js';

describeFacts('WebKit');
describeStory('WebKit');
describeBridge('WebKit');
describeDialog('WebKit');
describePush('WebKit');
