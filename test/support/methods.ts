import { followingMethods } from '../../src/methods/follows.js';
import { furtherMethods } from '../../src/methods/further.js';
import type { Method } from '../../src/methods/method.js';
import { readMethods } from '../../src/methods/reads.js';
import * as signing from '../../src/methods/sign.js';
import * as transacting from '../../src/methods/submit.js';

/** Every method that is answered, by its name on the wire: those of all chunks. */
export const methods = { ...readMethods, ...signing, ...transacting, ...followingMethods, ...furtherMethods };

export const methodTable: ReadonlyMap<string, Method> = new Map(
  Object.entries(methods as unknown as Readonly<Record<string, Method>>),
);
