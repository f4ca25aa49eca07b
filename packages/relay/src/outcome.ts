/** How a request was answered: from memory, by joining an equal request that was under way, or by a request upstream. */
export type Outcome = 'hit' | 'shared' | 'upstream';
