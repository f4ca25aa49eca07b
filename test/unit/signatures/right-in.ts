import { createCallReader } from '../../../src/approvals/read-calls.js';
import type { Right } from '../../../src/approvals/right.js';
import type { TypedData } from '../../../src/keyring/typed-data/typed-data.js';
import { readSignedCalls } from '../../../src/signatures/calls.js';
import { readRight } from '../../../src/signatures/rights.js';
import { owner } from './forms.js';

/** The right that the owner's signature over the data would give, with the calls in it. */
export const rightIn = (data: TypedData, now?: number): Right | null =>
  readRight(data, owner, readSignedCalls(data, createCallReader()), now);
