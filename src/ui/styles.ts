import { actions } from './styles/actions.js';
import { conditions } from './styles/conditions.js';
import { pieces } from './styles/pieces.js';
import { surface } from './styles/surface.js';

/** The one style sheet, adopted by the shadow root: a strict Content-Security-Policy has nothing to forbid. */
export const styles = surface + pieces + actions + conditions;
