import { excerpt } from '../rpc/core-errors.js';
import { escapeHidden } from '../rpc/text.js';
import type { SignInRight } from './question.js';

/** Reads the rights that a sign-in gives by its resources (ERC-5573, "ReCap"). */

const isRecap = (resource: string): boolean => /^urn:recap:/i.test(resource);

/** Resources whose scheme only names a page or a file. */
const isPlain = (resource: string): boolean => /^(?:https?|ipfs|ipns):/i.test(resource);

/** Resources that give rights in a form that is not known, or none. */
export const unknownResources = (resources: readonly string[]): readonly string[] =>
  resources.filter((resource) => !isRecap(resource) && !isPlain(resource));

/** The rights in all recaps. One that cannot be read counts as a right to anything. */
export const readRights = (resources: readonly string[]): readonly SignInRight[] =>
  resources
    .filter(isRecap)
    .flatMap((resource) => readRecap(resource) ?? [{ resource: excerpt(resource), action: '*' }]);

function readRecap(resource: string): readonly SignInRight[] | null {
  try {
    const text = atob(resource.slice('urn:recap:'.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { att } = JSON.parse(new TextDecoder().decode(bytes)) as { att: Record<string, object> };
    const rights = Object.entries(att).flatMap(([target, actions]) =>
      Object.entries(actions).map(([action, limits]) => ({
        resource: escapeHidden(target),
        action: escapeHidden(action),
        ...limitsOf(limits),
      })),
    );
    return rights.length > 0 ? rights : null;
  } catch {
    return null;
  }
}

/** The conditions of an action, unless there are none: `[{}]`. */
function limitsOf(limits: unknown): Pick<SignInRight, 'limits'> {
  const text = JSON.stringify(limits) ?? '';
  return /^(?:|\[(?:\{\})?\])$/.test(text) ? {} : { limits: escapeHidden(text).slice(0, maxLimits) };
}

/** Characters of the conditions that are shown. */
const maxLimits = 200;
