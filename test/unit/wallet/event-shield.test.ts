// @vitest-environment happy-dom
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { shieldEvents } from '../../../src/wallet/event-shield.js';

/** What listeners of a page see and change of an event on its way to an element of the wallet. Browsers: `page-input.test.ts`. */

shieldEvents();
shieldEvents();

const page = new AbortController();
afterAll(() => page.abort());

/** A page that prevents and stops what it gets, by listeners that it adds after the wallet. */
const seen: unknown[] = [];
const take = (event: Event): void => {
  seen.push((event as KeyboardEvent).key);
  event.preventDefault();
  event.stopPropagation();
  event.stopImmediatePropagation();
};
for (const target of [window, document, document.documentElement])
  target.addEventListener('keydown', take as EventListener, { capture: true, signal: page.signal });

const press = (target: EventTarget, key = 'a'): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true });
  target.dispatchEvent(event);
  return event;
};

beforeEach(() => {
  seen.length = 0;
});
afterEach(() => document.body.replaceChildren());

function openHost(parent: Node = document.body) {
  const host = document.createElement('div');
  host.setAttribute('data-graft', 'message');
  const field = document.createElement('input');
  host.attachShadow({ mode: 'closed' }).append(field);
  parent.appendChild(host);
  const heard: KeyboardEvent['key'][] = [];
  field.addEventListener('keydown', (event) => heard.push(event.key));
  return { host, field, heard };
}

test('an event on the way to the wallet arrives as it was, and the page has seen no key', () => {
  const { field, heard } = openHost();
  const event = press(field, 's');
  expect(heard).toEqual(['s']);
  expect(event.defaultPrevented).toBe(false);
  expect(event.key).toBe('s');
  expect(new Set(seen)).toEqual(new Set(['']));
});

test('the wallet itself can prevent it, at its element and within', () => {
  const { field, host } = openHost();
  field.addEventListener('keydown', (event) => event.preventDefault());
  expect(press(field).defaultPrevented).toBe(true);
  const stopped: string[] = [];
  host.addEventListener('keydown', (event) => event.stopPropagation());
  document.body.addEventListener('keydown', () => stopped.push('heard'));
  press(field);
  expect(stopped).toEqual([]);
});

test('an element of the wallet within a component of the page is shielded too', () => {
  const component = document.createElement('div');
  document.body.append(component);
  const { field, heard } = openHost(component.attachShadow({ mode: 'open' }));
  expect(press(field).defaultPrevented).toBe(false);
  expect(heard).toEqual(['a']);
});

test('events of the page’s own elements stay the page’s', () => {
  const own = document.createElement('input');
  document.body.append(own);
  expect(press(own).defaultPrevented).toBe(true);
  expect(seen).toEqual(['a']);
});

test('events that the page cannot take are left alone', () => {
  const { field } = openHost();
  const names: string[] = [];
  const note = (event: Event) => names.push(...Object.getOwnPropertyNames(event));
  window.addEventListener('custom', note, { capture: true, signal: page.signal });
  field.dispatchEvent(new CustomEvent('custom', { bubbles: true, composed: true }));
  expect(names).not.toContain('preventDefault');
});
