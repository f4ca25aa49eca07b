import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readPreferences, writePreferences } from '../../../src/ui/preferences.js';

let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
});
afterEach(() => vi.unstubAllGlobals());

test('preferences that were written are read', () => {
  writePreferences({ language: 'pt', theme: 'dark' });
  expect(readPreferences()).toEqual({ language: 'pt', theme: 'dark' });
  writePreferences({});
  expect(readPreferences()).toEqual({});
});

test.each(['', 'null', '[]', '{"language":"xx","theme":1}', '{"language":'])(
  'preferences that any script of the origin may have written are ignored: %s',
  (text) => {
    stored.set('graft:preferences', text);
    expect(readPreferences()).toEqual({});
  },
);

test('without storage there are none', () => {
  vi.stubGlobal('localStorage', undefined);
  writePreferences({ theme: 'dark' });
  expect(readPreferences()).toEqual({});
});
