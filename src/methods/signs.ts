import * as sign from './sign.js';
import * as submit from './submit.js';

/** The methods that sign, and those that take what is signed. */
export const signingMethods = { ...sign, ...submit };
