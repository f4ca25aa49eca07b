/**
 * The objects of a JSON array whose text may be damaged or end at any byte: those that are whole.
 *
 * @example
 * wholeObjects('[{"a":1},{"b":'); // [{ a: 1 }]
 */
export function wholeObjects(text: string): readonly unknown[] {
  const objects: unknown[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') {
      depth++;
      if (depth === 2) start = at;
    } else if (character === '}' || character === ']') {
      if (depth === 2) {
        try {
          objects.push(JSON.parse(text.slice(start, at + 1)));
        } catch {
          // A damaged one is left out.
        }
      }
      depth--;
    }
  }
  return objects;
}
