import { values } from '../../support/keys.js';

/** `$TD_OK`, and what `{$td: patch}` makes of it. */

type Members = Record<string, unknown>;

const valid = (): Members => ({
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    P: [
      { name: 'amount', type: 'uint256' },
      { name: 'note', type: 'string' },
    ],
  },
  primaryType: 'P',
  domain: { name: 'Table', version: '1', chainId: 31, verifyingContract: values.$X },
  message: { amount: '1', note: 'of bad inputs' },
});

/** Far from now, in unix seconds. */
export const permitDeadline = '4102444800';

const permit = (): Members => ({
  ...valid(),
  types: {
    EIP712Domain: (valid().types as Members).EIP712Domain,
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  primaryType: 'Permit',
  message: {
    owner: values.$A0,
    spender: values.$OTHER,
    value: String(2n ** 256n - 1n),
    nonce: '0',
    deadline: permitDeadline,
  },
});

/** Dotted paths replaced; `undefined` removes. A patch of the message's type alone leaves a message to fit it. */
export function typedData(patch: Members = {}): Members {
  const { $permitUnlimited, ...paths } = patch;
  if ($permitUnlimited === true) return permit();
  const data = valid();
  for (const [path, value] of Object.entries(paths)) replace(data, path.split('.'), value);
  return data;
}

function replace(target: Members, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length > 0) replace(target[name] as Members, rest, value);
  else if (value === undefined) delete target[name];
  else target[name] = value;
}

/** JSON of any depth and with every key, `__proto__` included: `JSON.stringify` overflows at 10,000 levels. */
export function write(value: unknown): string {
  const closing: string[] = [];
  let text = '';
  let at = value;
  // What nests deep here nests through the last member alone.
  while (typeof at === 'object' && at !== null && !Array.isArray(at)) {
    const members = Object.entries(at);
    const last = members.pop();
    text += `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)},`).join('')}`;
    closing.push('}');
    if (!last) return text + closing.join('');
    text += `${JSON.stringify(last[0])}:`;
    at = last[1];
  }
  return text + JSON.stringify(at) + closing.reverse().join('');
}
