import { describe, expect, test } from 'vitest';
import { panelStyles } from '../../../src/ui/panel/styles.js';
import { details } from '../../../src/ui/styles/details.js';
import { forms } from '../../../src/ui/styles/forms.js';
import { receive } from '../../../src/ui/styles/receive.js';
import { stylesOf } from '../../../src/ui/styles.js';

const sheets = (['auto', 'light', 'dark'] as const).map(
  (theme) => [theme, stylesOf(theme, [details, forms, receive, panelStyles])] as const,
);

describe.each(sheets)('the style sheet of the theme %s', (_, sheet) => {
  test('names only generic font families, and in WebKit only those which no @font-face of the page can define', () => {
    const shorthands = [...sheet.matchAll(/\bfont: ([^;]+);/g)].map(([, value = '']) => value);
    const families = shorthands
      .filter((value) => value !== 'inherit')
      .map((value) => value.replace(/^(?:\d{3} )?\d+px(?:\/[\d.]+)? /, ''));
    expect(new Set(families)).toEqual(new Set(['system-ui, sans-serif', 'sans-serif', 'monospace']));
    expect(sheet).not.toContain('font-family');
    const [, inWebKit] = /@supports \(hanging-punctuation: first\) \{\n {2}([^\n]+)\n\}/.exec(sheet) ?? [];
    expect(inWebKit).toMatch(/^dialog, \.panel \{ font: [^;]+ sans-serif;/);
  });

  test('uses no custom property, which a page could register, and no font, counter style or layer by name', () => {
    expect(sheet.match(/var\(|--[\w-]+|@property|@font-face|@counter-style|@layer/g)).toBeNull();
  });

  test('uses no colour function that browsers of 2023 lack', () => {
    expect(sheet.match(/light-dark\(|color-mix\(|oklch\(|color\(|\brgb\(from\b/g)).toBeNull();
  });

  test('sizes text in pixels, independent of the page’s root font size', () => {
    expect(sheet.match(/[\d.]+(?:rem|ex|ch|cap|ic|lh|rlh)\b/g)).toBeNull();
    expect(sheet).toContain('all: initial !important');
  });
});

describe('themes', () => {
  test('auto is light, and dark when the system is dark', () => {
    const [light, dark] = [stylesOf('light'), stylesOf('dark')];
    expect(stylesOf('auto')).toBe(`${light}@media (prefers-color-scheme: dark) {${dark}}`);
    expect([light.includes('background: #fff'), dark.includes('background: #16181c')]).toEqual([true, true]);
  });
});
