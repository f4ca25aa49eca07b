import { expect, test } from 'vitest';
import { fc } from '../../../test/support/property.js';
import { createRelayRig } from '../../../test/support/relay-rig.js';
import { numericIds } from '../src/request-ids.js';

const echoed: readonly [id: string, expected?: string][] = [
  ['0'],
  ['-0'],
  ['1.0'],
  ['1.5'],
  ['1e2'],
  ['1E400'],
  ['9007199254740993'],
  ['123456789012345678901234567890'],
  ['""'],
  ['"1"'],
  ['"\\u00e9\\ud83d\\ude00"', '"é😀"'],
  ['"a\\"b\\\\c"'],
  ['null'],
];

test.each(echoed)('a request with the id %s gets it back', async (id, expected = id) => {
  const session = createRelayRig().connect().session;
  for (const method of ['eth_chainId', 'eth_nothing']) {
    const { text } = await session.receive(
      `{"jsonrpc":"2.0","params":[], "id" : ${id},"method":"${method}"}`,
    );
    expect(text).toContain(`"id":${expected},`);
    expect(JSON.parse(text as string)).toMatchObject({ jsonrpc: '2.0' });
  }
});

test('requests of a batch get their own ids back, equal ones too', async () => {
  const session = createRelayRig().connect().session;
  const ask = (id: string) => `{"id":${id},"method":"eth_chainId"}`;
  const { text = '' } = await session.receive(
    `[${['1.0', '1', '1', '"1"', '10000000000000000001'].map(ask).join(' , ')}, 7]`,
  );
  expect([...text.matchAll(/"id":([^,]+),/g)].map(([, id]) => id)).toEqual([
    ...['1.0', '1', '1', '"1"', '10000000000000000001', 'null'],
  ]);
});

test.each(['{}', '[]', '[1]', 'true', '{"id":5}'])('the id %s is refused, with the id null', async (id) => {
  const session = createRelayRig().connect().session;
  const { text = '' } = await session.receive(`{"id":${id},"method":"eth_chainId"}`);
  expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: -32600 } });
});

test('members named id elsewhere in a request are not its id, and of several the last one counts', () => {
  expect(numericIds('{"params":[{"id":1.0}],"id":2.0,"x":{"id":3.0}}')).toEqual(['2.0']);
  expect(numericIds('{"id":1.0,"\\u0069d":2.0}')).toEqual(['2.0']);
  expect(numericIds('{"method":"id","id":"1"}')).toEqual([undefined]);
  expect(numericIds('[{"id":1.0},[{"id":2.0}],"id",{"a":"id:3"},{"id":4.0}]')).toEqual([
    ...['1.0', undefined, undefined, undefined, '4.0'],
  ]);
});

test('for any JSON, numbers are those that JSON.parse reads', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: fc.jsonValue(), params: fc.jsonValue() }), { maxLength: 4 }),
      (batch) => {
        const read = (ids: readonly (string | undefined)[]) =>
          ids.map((id) => (id === undefined ? id : Number(id)));
        const numbers = batch.map(({ id }) => (typeof id === 'number' ? id : undefined));
        expect(read(numericIds(JSON.stringify(batch, null, 1)))).toEqual(numbers);
        for (const [at, each] of batch.entries())
          expect(read(numericIds(JSON.stringify(each)))).toEqual([numbers[at]]);
      },
    ),
    { numRuns: Number(process.env.IDS_RUNS ?? 300), seed: 26 },
  );
});

test('notifications get no reply, and change nothing for the requests beside them', async () => {
  const session = createRelayRig().connect().session;
  expect(await session.receive('{"method":"eth_chainId"}')).toEqual({ status: 204 });
  expect(await session.receive('[{"method":"eth_chainId"},{"method":"eth_chainId"}]')).toEqual({
    status: 204,
  });
  const { text = '' } = await session.receive('[{"method":"eth_chainId"},{"id":2.0,"method":"eth_chainId"}]');
  expect(text).toContain('[{"jsonrpc":"2.0","id":2.0,');
});
