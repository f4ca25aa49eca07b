import type { ViewOf } from './view.js';

export const unlock: ViewOf<'unlock'> = (_, words) => ({
  title: words.unlockTitle,
  lead: words.unlockLead,
  subject: [],
  confirm: words.unlock,
});
