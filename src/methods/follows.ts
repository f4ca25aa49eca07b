import * as filter from './filter.js';
import * as subscription from './subscription.js';

/** The methods of subscriptions and filters. */
export const followingMethods = { ...filter, ...subscription };
