import { type AbiParameter, encodeFunctionData } from 'viem';
import { expect, test } from 'vitest';
import { clearSigning } from '../../../../src/approvals/clear-signing/clear-signing.js';
import type { ExplainedField } from '../../../../src/approvals/question.js';
import { createRandom, type Random } from '../../../e2e/attack/random.js';

/** Random functions, arguments and files: nothing of a call may be hidden. A soak takes RUNS=100000. */
const runs = Number(process.env.RUNS ?? 300);
const to = `0x${'5a'.repeat(20)}` as const;
const context = { chainId: 31, from: `0x${'7c'.repeat(20)}`, value: '0x0' } as const;

type Parameter = AbiParameter & { readonly components?: readonly Parameter[] };

const hex = (random: Random, bytes: number) =>
  `0x${Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('')}`;

/** A parameter with a value, the paths to the values within, and their texts. */
interface Made {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly paths: readonly string[];
  readonly texts: readonly string[];
}

const makeLeaf = (random: Random, name: string): Made => {
  const made = (type: string, value: unknown, text: string): Made => ({
    parameter: { name, type },
    value,
    paths: [name],
    texts: [text],
  });
  const number = BigInt(hex(random, 31));
  switch (random.below(6)) {
    case 0:
      return made('uint256', number, `${number}`);
    case 1:
      return made('int256', -number, `${-number}`);
    case 2: {
      const address = hex(random, 20);
      return made('address', address, address);
    }
    case 3: {
      const bytes = hex(random, 1 + random.below(80));
      return {
        ...made('bytes', bytes, bytes),
        paths: [random.pick([name, `${name}.[0:2]`, `${name}.[-20:]`])],
      };
    }
    case 4: {
      const word = hex(random, 32);
      return made('bytes32', word, word);
    }
    default: {
      const text = `text ${number}`;
      return made('string', text, text);
    }
  }
};

function make(random: Random, name: string, depth: number): Made {
  const kind = depth > 2 ? 0 : random.below(5);
  if (kind === 3) {
    const members = Array.from({ length: 1 + random.below(3) }, (_, i) => make(random, `m${i}`, depth + 1));
    return {
      parameter: { name, type: 'tuple', components: members.map(({ parameter }) => parameter) },
      value: Object.fromEntries(members.map(({ parameter, value }) => [parameter.name, value])),
      paths: members.flatMap(({ paths }) => paths.map((path) => `${name}.${path}`)),
      texts: members.flatMap(({ texts }) => texts),
    };
  }
  if (kind === 4) {
    // Elements of one type: values are made until enough of them have it.
    const first = make(random, name, depth + 1);
    const elements = [first];
    const isAlike = (other: Made) => JSON.stringify(other.parameter) === JSON.stringify(first.parameter);
    for (let tries = 0; tries < 4; tries++) {
      const other = make(random, name, depth + 1);
      if (isAlike(other)) elements.push(other);
    }
    const length = random.below(elements.length + 1);
    const taken = elements.slice(0, length);
    const selector = random.pick(['.[]', '.[0]', '.[-1]', '.[1:]', '.[:1]']);
    return {
      parameter: { ...first.parameter, type: `${first.parameter.type}[]` },
      value: taken.map(({ value }) => value),
      paths: first.paths.map((path) => path.replace(name, `${name}${selector}`)),
      texts: taken.flatMap(({ texts }) => texts),
    };
  }
  return makeLeaf(random, name);
}

/** The signature with names, as a file has it. */
const spell = ({ type, name, components }: Parameter): string =>
  `${type.replace(/^tuple/, () => `(${components?.map(spell).join(',')})`)} ${name}`;

const shown = (field: ExplainedField): string =>
  field.kind === 'address'
    ? field.recipient.address
    : field.kind === 'tokens'
      ? `${field.amount} ${field.token.address}`
      : field.kind === 'text'
        ? field.text
        : JSON.stringify(field);

test(`every argument of a call is shown, whatever a file says of it`, async () => {
  for (let run = 0; run < runs; run++) {
    const random = createRandom(run);
    const inputs = Array.from({ length: 1 + random.below(4) }, (_, i) => make(random, `a${i}`, 0));
    const key = `f(${inputs.map(({ parameter }) => spell(parameter)).join(',')})`;
    const paths = inputs.flatMap((input) => input.paths);
    const fields = Array.from({ length: random.below(6) }, (_, i) => ({
      path: random.pick(paths),
      label: `Label ${i}`,
      ...(random.chance(0.3) && { visible: random.pick(['never', 'always', { ifNotIn: ['1'] }]) }),
    }));
    const grouped = random.chance(0.3) ? [{ label: 'Group', fields }] : fields;
    const describeCall = clearSigning([
      {
        $schema: 'erc7730-v2.schema.json',
        context: { contract: { deployments: [{ chainId: 31, address: to }] } },
        metadata: { owner: 'Example' },
        display: { formats: { [key]: { intent: 'Act', fields: grouped } } },
      },
    ]);
    const data = encodeFunctionData({
      abi: [
        {
          type: 'function',
          name: 'f',
          stateMutability: 'nonpayable',
          outputs: [],
          inputs: inputs.map(({ parameter }) => parameter),
        },
      ],
      args: inputs.map(({ value }) => value),
    } as never);
    const explained = (await describeCall(to, data, context))?.explained;
    if (!explained) throw new Error(`seed ${run}: ${key} is not explained`);
    const all = [...explained.fields.map(shown), ...explained.unexplained.map(({ value }) => value)].join(
      '\n',
    );
    const isCut = all.includes('…');
    for (const text of inputs.flatMap(({ texts }) => texts))
      if (!isCut && !all.includes(text)) throw new Error(`seed ${run}: ${text} of ${key} is hidden`);
    for (const { parameter, value } of inputs)
      if (Array.isArray(value) && value.length === 0)
        expect(
          explained.unexplained.map(({ name }) => name),
          `seed ${run}`,
        ).toContain(parameter.name);
  }
});
