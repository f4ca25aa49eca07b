// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from 'vitest';
import { type Content, Fragment, h, render, sentence, textOf } from '../../../src/ui/h.js';
import { identicon } from '../../../src/ui/pieces/identicon.js';
import { rendered } from '../../support/render.js';

const build = (content: Content) => rendered(content).firstElementChild as HTMLElement;

describe('h', () => {
  test('attributes and nested content are set', () => {
    const built = build(
      h('p', { class: 'a', hidden: true, title: undefined, lang: false }, 'Hi ', [
        h('b', {}, 'you'),
        null,
        false,
      ]),
    );
    expect(built.outerHTML).toBe('<p class="a" hidden="">Hi <b>you</b></p>');
  });

  test('an attribute whose property is a boolean keeps its text', () => {
    expect(build(h('input', { spellcheck: 'false', translate: 'no' })).outerHTML.toLowerCase()).toBe(
      '<input spellcheck="false" translate="no">',
    );
  });

  test('no attributes, and those that a bundler adds in development, are none', () => {
    const source = { __self: globalThis, __source: { fileName: 'a.tsx' } };
    expect(build(h('p', null, h('b', source as never, 'a'))).outerHTML).toBe('<p><b>a</b></p>');
  });

  test('a fragment is what is in it', () => {
    const built = h(Fragment as never, {}, 'a', h('b', {}, 'b'));
    expect(textOf(built)).toBe('ab');
    expect(rendered(built).innerHTML).toBe('a<b>b</b>');
  });

  test('text is never parsed as markup', () => {
    const built = build(h('p', { title: '"><img src=x>' }, '<img src=x onerror=alert(1)>'));
    expect(built.children.length).toBe(0);
    expect(built.textContent).toBe('<img src=x onerror=alert(1)>');
    expect(built.getAttributeNames()).toEqual(['title']);
  });
});

describe('a polluted Object.prototype', () => {
  const polluted = [
    'title',
    'id',
    'dangerouslySetInnerHTML',
    'children',
    'key',
    'ref',
    'is',
    'onclick',
    'hidden',
  ];
  afterEach(() => {
    for (const name of polluted) delete (Object.prototype as Record<string, unknown>)[name];
  });

  test('adds no attribute, no child and no markup, at first and when it is drawn again', () => {
    const made = () => h('p', { class: 'a' }, 'text', h('svg', {}, h('path', { d: 'M0 0' })), h('input', {}));
    const clean = build(made()).outerHTML;
    for (const name of polluted)
      Object.defineProperty(Object.prototype, name, {
        value: { __html: '<b>polluted</b>' },
        enumerable: true,
        configurable: true,
        writable: true,
      });
    const root = document.createElement('div');
    for (let i = 0; i < 3; i++) {
      render(made(), root);
      expect(root.innerHTML).toBe(clean);
    }
  });
});

describe('elements named like members of document', () => {
  test('are not called: nodes are created by the prototype', () => {
    const clobbered = () => {
      throw new Error('clobbered');
    };
    const names = ['createElementNS', 'createTextNode', 'createElement'];
    const root = document.createElement('div');
    for (const name of names) Object.defineProperty(document, name, { value: clobbered, configurable: true });
    try {
      render(h('p', {}, 'one'), root);
      render([h('p', {}, 'one'), h('p', {}, 'two')], root);
    } finally {
      for (const name of names) delete (document as unknown as Record<string, unknown>)[name];
    }
    expect(root.innerHTML).toBe('<p>one</p><p>two</p>');
  });
});

describe('textOf', () => {
  test('is the text of all nodes', () => {
    expect(textOf(['a', h('b', {}, 'b', [null, h('i', {}, 1)]), false])).toBe('ab1');
  });
});

describe('sentence', () => {
  test('placeholders are replaced by isolated values', () => {
    const built = build(h('p', {}, sentence('{site} takes {amount}.', { site: 'a.example', amount: '5' })));
    expect(built.innerHTML).toBe('<bdi>a.example</bdi> takes <bdi>5</bdi>.');
  });

  test('a value that contains a placeholder is not filled in', () => {
    expect(build(h('p', {}, sentence('{a}', { a: '{b}', b: 'x' }))).textContent).toBe('{b}');
  });
});

describe('identicon', () => {
  test('depends on every digit and not on letter case', () => {
    const picture = (address: string) => build(identicon(address)).innerHTML;
    const address = `0x1234${'0'.repeat(32)}abcd`;
    const lookAlike = `0x1234${'0'.repeat(16)}1${'0'.repeat(15)}abcd`;
    expect(picture(address)).toBe(picture(address.toUpperCase()));
    expect(picture(address)).not.toBe(picture(lookAlike));
  });
});
