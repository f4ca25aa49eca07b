import { actions } from './styles/actions.js';
import { conditions } from './styles/conditions.js';
import { dark, light, type Palette } from './styles/palette.js';
import { pieces } from './styles/pieces.js';
import { surface } from './styles/surface.js';

export type Theme = 'auto' | 'light' | 'dark';

const sheet = (palette: Palette): string =>
  surface(palette) + pieces(palette) + actions(palette) + conditions;

/**
 * The one style sheet, adopted by the shadow root: a strict Content-Security-Policy has nothing to forbid.
 *
 * It names nothing that a page can define: of fonts only generic families, since `@font-face` of the page reaches
 * into shadow trees, and no custom property.
 */
export const stylesOf = (theme: Theme): string =>
  theme === 'auto'
    ? `${sheet(light)}@media (prefers-color-scheme: dark) {${sheet(dark)}}`
    : sheet(theme === 'dark' ? dark : light);
