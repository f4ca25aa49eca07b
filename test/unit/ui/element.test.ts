// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { element, sentence } from '../../../src/ui/element.js';
import { identicon } from '../../../src/ui/identicon.js';

describe('element', () => {
  test('attributes and nested content are set', () => {
    const built = element('p', { class: 'a', hidden: true, title: undefined, lang: false }, 'Hi ', [
      element('b', {}, 'you'),
      null,
      false,
    ]);
    expect(built.outerHTML).toBe('<p class="a" hidden="">Hi <b>you</b></p>');
  });

  test('text is never parsed as markup', () => {
    const built = element('p', { title: '"><img src=x>' }, '<img src=x onerror=alert(1)>');
    expect(built.children.length).toBe(0);
    expect(built.textContent).toBe('<img src=x onerror=alert(1)>');
    expect(built.getAttributeNames()).toEqual(['title']);
  });
});

describe('sentence', () => {
  test('placeholders are replaced by isolated values', () => {
    const built = element('p', {}, sentence('{site} takes {amount}.', { site: 'a.example', amount: '5' }));
    expect(built.innerHTML).toBe('<bdi>a.example</bdi> takes <bdi>5</bdi>.');
  });

  test('a value that contains a placeholder is not filled in', () => {
    expect(element('p', {}, sentence('{a}', { a: '{b}', b: 'x' })).textContent).toBe('{b}');
  });
});

describe('identicon', () => {
  test('depends on every digit and not on letter case', () => {
    const picture = (address: string) => identicon(address).innerHTML;
    const address = `0x1234${'0'.repeat(32)}abcd`;
    const lookAlike = `0x1234${'0'.repeat(16)}1${'0'.repeat(15)}abcd`;
    expect(picture(address)).toBe(picture(address.toUpperCase()));
    expect(picture(address)).not.toBe(picture(lookAlike));
  });
});
