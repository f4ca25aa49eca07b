import { actions } from './styles/actions.js';
import { conditions } from './styles/conditions.js';
import { dark, light, type Palette } from './styles/palette.js';
import { pieces } from './styles/pieces.js';
import { surface } from './styles/surface.js';

export type { Palette } from './styles/palette.js';
/** The colours: light, dark, or as the person's system has it. */
export type Theme = 'auto' | 'light' | 'dark';

/** Some of the rules, in the colours of a palette. */
export type Rules = (palette: Palette) => string;

/**
 * The style sheet of the dialog and the panel, and further rules, for `adoptedStyleSheets`, which a strict Content-Security-Policy does not block.
 *
 * It refers to nothing that the page can define: only generic font families, because the page's `@font-face` rules
 * apply in shadow trees too, and no custom properties.
 */
export function stylesOf(theme: Theme, further: readonly Rules[] = []): string {
  const sheet: Rules = (palette) =>
    [surface, pieces, actions, ...further].map((rules) => rules(palette)).join('') + conditions;
  return theme === 'auto'
    ? `${sheet(light)}@media (prefers-color-scheme: dark) {${sheet(dark)}}`
    : sheet(theme === 'dark' ? dark : light);
}
