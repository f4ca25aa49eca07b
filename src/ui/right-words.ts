/** Texts for signatures that grant a right (`approvals/right.ts`). Part of `words.ts`. */
export const rightWords = {
  transferRightTitle: 'Let tokens be sent',
  transferRightLead: 'Whoever has this signature can send this from your account to the recipient, once.',
  collectibleRightTitle: 'Allow one collectible to be taken',
  collectibleRightLead: 'With this signature the spender may move this token of yours, without asking again.',
  relayedTitle: 'Let a call be made for you',
  relayedLead: 'Whoever has this signature can have this carried out as if you had sent it.',
  safeTitle: 'Confirm a transaction of a Safe',
  safeLead: 'With this signature, and those of the other owners that it needs, the Safe carries this out.',
  runsCodeOf: 'Runs the code of',
  orderTitle: 'Sign an order',
  ordersTitle: 'Sign {count} orders',
  orderLead: 'Whoever accepts takes what you give, on these terms, without asking again.',
  youGive: 'You give, at most',
  youGet: 'You get, at least',
  nothing: 'Nothing',
  otherRightTitle: 'Sign data that gives a right',
  otherRightLead:
    '{site} asks you to sign this. It gives somebody a right that this wallet cannot put into words.',
  holder: 'Named',
  tokens: 'Tokens',
  readsAs: '{amount}, as the contract says',
};
