import { afterEach, expect, test, vi } from 'vitest';
import { pageOrigin } from '../../../src/provider/origin.js';

afterEach(() => void vi.unstubAllGlobals());

test('without a page there is no origin, nor with a document that is not one of a browser', () => {
  expect(pageOrigin()).toBe('null');
  vi.stubGlobal('document', new EventTarget());
  expect(pageOrigin()).toBe('null');
});

test('a replaced `origin` of the page is not read', () => {
  class Document {}
  Object.defineProperty(Document.prototype, 'domain', { get: () => 'app.example', configurable: true });
  vi.stubGlobal('Document', Document);
  vi.stubGlobal('document', Object.create(Document.prototype));
  vi.stubGlobal('location', { origin: 'https://app.example' });
  vi.stubGlobal('origin', 'https://other.example');
  expect(pageOrigin()).toBe('https://app.example');
  Object.defineProperty(Document.prototype, 'domain', { get: () => '' });
  expect(pageOrigin()).toBe('null');
});
