import { actions } from './styles/actions.js';
import { conditions } from './styles/conditions.js';
import { dark, light, type Palette } from './styles/palette.js';
import { pieces } from './styles/pieces.js';
import { surface } from './styles/surface.js';

export type Theme = 'auto' | 'light' | 'dark';

const sheet = (palette: Palette): string =>
  surface(palette) + pieces(palette) + actions(palette) + conditions;

/**
 * The dialog's style sheet, for `adoptedStyleSheets`, which a strict Content-Security-Policy does not block.
 *
 * It refers to nothing that the page can define: only generic font families, because the page's `@font-face` rules
 * apply in shadow trees too, and no custom properties.
 */
export const stylesOf = (theme: Theme): string =>
  theme === 'auto'
    ? `${sheet(light)}@media (prefers-color-scheme: dark) {${sheet(dark)}}`
    : sheet(theme === 'dark' ? dark : light);
