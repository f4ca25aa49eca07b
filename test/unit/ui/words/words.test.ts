import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadWords } from '../../../../src/ui/words/all-words.js';
import { dialogEnglish } from '../../../../src/ui/words/dialog-en.js';
import { browserLanguage, chooseWords, languages, loadDialogWords } from '../../../../src/ui/words/words.js';
import { english } from '../../../support/english.js';
import { pseudo } from '../../../support/pseudo.js';

/** Every text of a language by its path. */
function textsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([key, item]) => textsOf(item, `${path}.${key}`));
}

const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
const englishTexts = new Map(textsOf(english));
const translations = await Promise.all(
  languages.map(async (language) => [language, await loadWords(language)] as const),
);

afterEach(() => vi.unstubAllGlobals());

describe.each([...translations, ['pseudo', pseudo] as const])('the texts in %s', (language, words) => {
  const texts = textsOf(words);

  test('are all there, and no others', () => {
    expect(texts.map(([path]) => path).sort()).toEqual([...englishTexts.keys()].sort());
    expect(texts.filter(([, text]) => text.trim() === '').map(([path]) => path)).toEqual([]);
  });

  test('have the places for values that the English ones have', () => {
    for (const [path, text] of texts)
      expect(placesOf(text), path).toEqual(placesOf(englishTexts.get(path) as string));
  });

  test('show no code number and nothing that is meant for developers', () => {
    const technical = /-?\b\d{4,5}\b|undefined|null|exception|JSON-RPC|RPC|EIP-\d|Error\b|eth_|wallet_/;
    expect(texts.filter(([, text]) => technical.test(text))).toEqual([]);
  });

  test('are translated, but for what is a name', () => {
    if (language === 'en') return;
    const same = texts.filter(
      ([path, text]) => text.replace(/\{\w+\}/g, '').length > 9 && englishTexts.get(path) === text,
    );
    expect(same).toEqual([]);
  });

  test('have names that a module may export, as loaders of JSON do', () => {
    const forbidden = ['arguments', 'eval', 'default', 'then'];
    expect(Object.keys(words).filter((name) => forbidden.includes(name))).toEqual([]);
  });

  test('survive JSON', () => {
    expect(JSON.parse(JSON.stringify(words))).toEqual(words);
  });
});

test.each(languages)(
  'the dialog has all that it shows without the texts of the panel in %s',
  async (language) => {
    const words = await loadDialogWords(language);
    expect(Object.keys(words).sort()).toEqual(Object.keys(dialogEnglish).sort());
    expect(words.language).toBe(language);
    expect(['ltr', 'rtl']).toContain(words.direction);
  },
);

describe('browserLanguage', () => {
  test.each([
    [['pt-BR', 'en'], 'pt'],
    [['de-DE', 'es-AR', 'en'], 'es'],
    [['de', 'fr'], 'en'],
    [['EN-us'], 'en'],
    [[], 'en'],
  ])('%j', (preferred, language) => {
    vi.stubGlobal('navigator', { languages: preferred });
    expect(browserLanguage()).toBe(language);
  });

  test('without a browser it is English', () => {
    vi.stubGlobal('navigator', undefined);
    expect(browserLanguage()).toBe('en');
  });
});

describe('overrides', () => {
  test('replace texts of the dialog and of the panel', async () => {
    const words = await loadWords('es', { reject: 'No', home: 'Casa' });
    expect([words.reject, words.home, words.connect]).toEqual(['No', 'Casa', 'Conectar']);
  });

  test('replace single warnings', () => {
    const high = ['Teuer', 'Sehr.'] as const;
    const words = chooseWords(english, { warning: { ...english.warning, 'high-fee': high } });
    expect(words.warning['high-fee']).toEqual(high);
  });
});
