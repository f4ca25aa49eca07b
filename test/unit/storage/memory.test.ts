import { describe } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory.js';
import { storageContract } from './contract.js';

describe('createMemoryStorage', () => {
  storageContract(() => createMemoryStorage());
});
