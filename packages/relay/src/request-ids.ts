/**
 * The ids of requests as they stand in a message: a number is echoed in the client's own digits, which `JSON.parse` may
 * not keep (`9007199254740993`, `1.0`, `1e400`). One for each request of a batch; `undefined` where the id is not a number.
 *
 * @param text a valid JSON text
 * @example
 * numericIds('[{"id":1.0},{"id":"a"}]'); // ['1.0', undefined]
 */
export function numericIds(text: string): readonly (string | undefined)[] {
  const isBatch = text.trimStart().startsWith('[');
  /** Nesting of the members of a request. */
  const level = isBatch ? 2 : 1;
  const ids: (string | undefined)[] = isBatch ? [] : [undefined];
  let depth = 0;
  let key: string | undefined;
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    if (isBatch && depth === 1 && token !== ',' && token !== ']') ids.push(undefined);
    if (token === ':' && depth === level) key = last;
    else if (depth === level && key !== undefined) {
      // The last of several members with one name counts, as in `JSON.parse`.
      if (isId(key)) ids[ids.length - 1] = /^[-\d]/.test(token) ? token : undefined;
      key = undefined;
    }
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    last = token;
  }
  return ids;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

const isId = (key: string): boolean => key.startsWith('"') && JSON.parse(key) === 'id';
