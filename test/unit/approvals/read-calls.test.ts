import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { CallTree } from '../../../src/approvals/call-tree.js';
import { decodeCall } from '../../../src/approvals/decode-call.js';
import { callWarnings } from '../../../src/approvals/describe/calls.js';
import { createCallReader } from '../../../src/approvals/read-calls.js';
import type { Hex } from '../../../src/rpc/schema.js';
import { fc } from '../../support/property.js';
import { attacker, dangerousCalls, nested, someContract, someToken, wrappers } from './wrappers.js';

const rif = '0x2acc95758f8b5f583470ba265eb685a8f45fc9d5';
const read = (data: Hex, to: Hex = someContract): CallTree =>
  createCallReader().read({ to, data, from: someContract });
const warningsOf = (data: Hex, to: Hex = someContract) =>
  callWarnings([read(data, to)], 30).map(({ code, severity }) => `${code} ${severity}`);
const all = (call: CallTree): readonly CallTree[] => [call, ...call.inner.flatMap(all)];
const encode = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never), args } as never);
const token = { address: someToken };
const word = `0x${'12'.repeat(32)}`;
const most = 2n ** 256n - 1n;

describe('a call of a known function', () => {
  test.each<[string, readonly unknown[], readonly object[]]>([
    [
      'transferAndCall(address,uint256,bytes)',
      [attacker, 5n, '0x'],
      [{ name: 'transfer', to: attacker, amount: '5', token }],
    ],
    [
      'send(address,uint256,bytes)',
      [attacker, 5n, '0x'],
      [{ name: 'transfer', to: attacker, amount: '5', token }],
    ],
    [
      'operatorSend(address,address,uint256,bytes,bytes)',
      [someContract, attacker, 5n, '0x', '0x'],
      [{ name: 'transferFrom', from: someContract, to: attacker, amount: '5', token }],
    ],
    [
      'authorizeOperator(address)',
      [attacker],
      [{ name: 'setApprovalForAll', operator: attacker, approved: true, token }],
    ],
    [
      'revokeOperator(address)',
      [attacker],
      [{ name: 'setApprovalForAll', operator: attacker, approved: false, token }],
    ],
    [
      'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
      [someContract, attacker, most, 9n, 27, word, word],
      [{ name: 'approve', spender: attacker, amount: `${most}`, unlimited: true, token }],
    ],
    [
      'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
      [someContract, attacker, 0n, 0n, true, 27, word, word],
      [{ name: 'approve', spender: attacker, amount: `${most}`, unlimited: true, token }],
    ],
    [
      'approve(address,address,uint160,uint48)',
      [rif, attacker, 5n, 9],
      [{ name: 'approve', spender: attacker, amount: '5', unlimited: false, token: { address: rif } }],
    ],
    [
      'transferFrom((address,address,uint160,address)[])',
      [
        [
          [someContract, attacker, 5n, rif],
          [someContract, attacker, 7n, someToken],
        ],
      ],
      [
        { name: 'transferFrom', from: someContract, to: attacker, amount: '5', token: { address: rif } },
        { name: 'transferFrom', from: someContract, to: attacker, amount: '7', token },
      ],
    ],
    [
      'permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)',
      [
        someContract,
        [
          [
            [rif, 5n, 1, 1],
            [someToken, most >> 96n, 1, 1],
          ],
          attacker,
          9n,
        ],
        '0x12',
      ],
      [
        { name: 'approve', spender: attacker, amount: '5', unlimited: false, token: { address: rif } },
        { name: 'approve', spender: attacker, amount: `${most >> 96n}`, unlimited: true, token },
      ],
    ],
    [
      'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
      [someContract, attacker, [1n, 2n], [3n, 4n], '0x'],
      [
        { name: 'safeTransferFrom', from: someContract, to: attacker, tokenId: '1', amount: '3', token },
        { name: 'safeTransferFrom', from: someContract, to: attacker, tokenId: '2', amount: '4', token },
      ],
    ],
    ['burn(uint256)', [5n], [{ name: 'burn', amount: '5', token }]],
    ['burnFrom(address,uint256)', [attacker, 5n], [{ name: 'burn', from: attacker, amount: '5', token }]],
    ['withdraw(uint256)', [5n], [{ name: 'burn', amount: '5', token }]],
    [
      'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
      [someContract, attacker, 5n, 0n, 9n, word, 27, word, word],
      [{ name: 'transferFrom', from: someContract, to: attacker, amount: '5', token }],
    ],
    [
      'disperseToken(address,address[],uint256[])',
      [rif, [attacker, someToken], [5n, 7n]],
      [
        { name: 'transfer', to: attacker, amount: '5', token: { address: rif } },
        { name: 'transfer', to: someToken, amount: '7', token: { address: rif } },
      ],
    ],
    [
      'permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)',
      [[[rif, most], 1n, 1n], [attacker, 5n], someContract, '0x11'],
      [{ name: 'transferFrom', from: someContract, to: attacker, amount: '5', token: { address: rif } }],
    ],
    [
      'permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)',
      [
        [
          [
            [rif, most],
            [someToken, 9n],
          ],
          1n,
          1n,
        ],
        [
          [attacker, 5n],
          [rif, 7n],
        ],
        someContract,
        '0x11',
      ],
      [
        { name: 'transferFrom', from: someContract, to: attacker, amount: '5', token: { address: rif } },
        { name: 'transferFrom', from: someContract, to: rif, amount: '7', token },
      ],
    ],
  ])('%s says what it does to which tokens', (signature, args, tokens) => {
    const tree = read(encode(signature, args), someToken);
    expect(tree).toMatchObject({ method: signature.replace(/\(.*/, ''), to: someToken });
    expect(tree.tokens).toEqual(tokens);
  });

  test('the common token calls read as `decodeCall` reads them', () => {
    const address = fc
      .bigInt({ min: 1n, max: 2n ** 160n - 1n })
      .map((n) => `0x${n.toString(16).padStart(40, '0')}`);
    const amount = fc.bigInt({ min: 0n, max: most });
    const call = fc.oneof(
      fc.tuple(
        fc.constantFrom('transfer', 'approve', 'increaseAllowance', 'decreaseAllowance'),
        address,
        amount,
      ),
      fc.tuple(fc.constantFrom('transferFrom', 'safeTransferFrom'), address, address, amount),
      fc.tuple(fc.constant('setApprovalForAll'), address, fc.boolean()),
    );
    const types: Record<string, string> = {
      transferFrom: 'address,address,uint256',
      safeTransferFrom: 'address,address,uint256',
      setApprovalForAll: 'address,bool',
    };
    fc.assert(
      fc.property(call, ([name, ...args]) => {
        const data = encode(`${name}(${types[name] ?? 'address,uint256'})`, args);
        expect(read(data, someToken).tokens).toEqual([decodeCall(someToken, data)]);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test.each([
    ['transferOwnership(address)', [attacker]],
    ['renounceOwnership()', []],
    ['grantRole(bytes32,address)', [word, attacker]],
    ['upgradeTo(address)', [attacker]],
    ['upgradeToAndCall(address,bytes)', [attacker, '0x']],
    ['setOwner(address)', [attacker]],
    ['changeOwner(address)', [attacker]],
    ['addOwner(address)', [attacker]],
    ['addOwnerWithThreshold(address,uint256)', [attacker, 1n]],
    ['swapOwner(address,address,address)', [attacker, attacker, attacker]],
    ['enableModule(address)', [attacker]],
    ['setGuard(address)', [attacker]],
    ['initialize(address)', [attacker]],
    ['installModule(uint256,address,bytes)', [1n, attacker, '0x']],
    ['setOwner(bytes32,address)', [word, attacker]],
  ])('%s changes who is in control, which is a danger', (signature, args) => {
    expect(warningsOf(encode(signature, args))).toContain('changes-control danger');
  });

  test('a vote that is given to another address is a caution', () => {
    expect(warningsOf(encode('delegate(address)', [attacker]))).toEqual(['gives-right caution']);
  });

  test('an approval of an amount in a batch is listed without a danger, an unlimited one is a danger', () => {
    const batch = (amount: bigint) =>
      encode('multicall(bytes[])', [[encode('approve(address,uint256)', [attacker, amount])]]);
    expect(warningsOf(batch(5n))).toEqual(['runs-calls caution']);
    expect(warningsOf(batch(most))).toEqual(['runs-calls caution', 'unlimited-approval danger']);
  });

  test('a delegatecall is a danger, whatever it calls', () => {
    const args = [someContract, 0n, '0x', 1, 0n, 0n, 0n, someContract, someContract, '0x'];
    const signature =
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)';
    expect(warningsOf(encode(signature, args))).toContain('delegate-call danger');
    expect(warningsOf(encode('execute(address,bytes)', [attacker, '0x12345678']))).toContain(
      'delegate-call danger',
    );
  });

  test('a call that carries out an earlier stored one says that it cannot be seen', () => {
    expect(warningsOf(encode('confirmTransaction(uint256)', [5n]))).toContain('calls-not-shown danger');
  });

  test('an encoding that is not canonical is a danger', () => {
    for (const data of Object.values(dangerousCalls)) {
      expect(warningsOf(`${data}00`)).toEqual(['unknown-call danger']);
      expect(warningsOf(data.slice(0, -2) as Hex)).toEqual(['unknown-call danger']);
    }
  });
});

describe('value beyond what is shown', () => {
  const me = someContract;
  test.each<[string, readonly ((amount: bigint) => unknown)[]]>([
    ['transfer(address,uint256)', [() => attacker, (amount) => amount]],
    ['transferFrom(address,address,uint256)', [() => me, () => attacker, (amount) => amount]],
    ['burn(uint256)', [(amount) => amount]],
    ['burnFrom(address,uint256)', [() => me, (amount) => amount]],
    ['withdraw(uint256)', [(amount) => amount]],
    ['withdrawTo(address,uint256)', [() => attacker, (amount) => amount]],
    ['redeem(uint256,address,address)', [(amount) => amount, () => attacker, () => me]],
    ['withdraw(uint256,address,address)', [(amount) => amount, () => attacker, () => me]],
    ['send(address,uint256,bytes)', [() => attacker, (amount) => amount, () => '0x']],
    ['disperseToken(address,address[],uint256[])', [() => rif, () => [attacker], (amount) => [amount]]],
  ])('%s of the greatest amount is a danger, of any other not', (signature, args) => {
    const warnings = (amount: bigint) =>
      warningsOf(
        encode(
          signature,
          args.map((each) => each(amount)),
        ),
      );
    const name = signature.replace(/\(.*/, '');
    expect(
      callWarnings(
        [
          read(
            encode(
              signature,
              args.map((each) => each(most)),
            ),
          ),
        ],
        30,
      ),
    ).toContainEqual({
      code: 'moves-tokens',
      severity: 'danger',
      detail: name,
    });
    for (const amount of [0n, 5n, 10n ** 30n])
      expect(warnings(amount).filter((warning) => warning.endsWith('danger'))).toEqual([]);
    for (const amount of [most - 1n, most - 2n ** 200n, 2n ** 128n - 1n])
      expect(warnings(amount)).toContain('moves-tokens danger');
  });

  const execTransaction =
    'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)';
  const zero = `0x${'0'.repeat(40)}` as const;
  const refunding = (price: bigint, gasToken: Hex, receiver: Hex = attacker) =>
    encode(execTransaction, [someToken, 0n, '0x', 0, 2n, 3n, price, gasToken, receiver, '0x11']);

  test('a Safe’s payment for its gas is a movement, and a danger', () => {
    expect(read(refunding(7n, rif)).inner[1]).toMatchObject({
      to: rif,
      tokens: [{ name: 'transfer', to: attacker, amount: '35', token: { address: rif } }],
    });
    expect(read(refunding(7n, zero)).inner[1]).toMatchObject({
      effect: 'payment',
      to: attacker,
      value: '35',
    });
    expect(read(refunding(7n, zero, zero)).inner[1]).toMatchObject({ effect: 'payment', to: null });
    for (const gasToken of [rif, zero] as const)
      expect(warningsOf(refunding(7n, gasToken))).toEqual(['runs-calls caution', 'moves-tokens danger']);
    expect(warningsOf(refunding(0n, rif))).toEqual(['runs-calls caution']);
  });

  test('an execution in an encoding that is not read is a danger, beside others that are', () => {
    const mode = (kind: string) => `0x${kind.padEnd(64, '0')}`;
    const one = `${someToken}${'00'.repeat(32)}`;
    for (const kind of ['fe', '02', '01'])
      expect(
        warningsOf(
          encode('redeemDelegations(bytes[],bytes32[],bytes[])', [
            ['0x', '0x'],
            [mode('00'), mode(kind)],
            [one, `0x${'ab'.repeat(100)}`],
          ]),
        ),
      ).toContain('calls-not-shown danger');
  });

  const decoy = encode('transfer(address,uint256)', [me, 0n]);
  const opaque = `0x${'ab'.repeat(200)}` as Hex;

  test('the commands of a router are not read, whatever is beside them', () => {
    for (const inputs of [[opaque], [opaque, decoy], [decoy], []])
      expect(warningsOf(encode('execute(bytes,bytes[])', ['0x02', inputs]))).toContain(
        'calls-not-shown danger',
      );
  });

  test('bytes that are passed on are understood only if calls are all that is in them', () => {
    const passing = (data: string) =>
      warningsOf(encode('transferAndCall(address,uint256,bytes)', [attacker, 5n, data]));
    const rest = decoy.slice(2);
    for (const data of [opaque, `${opaque}${rest}`, `${decoy}ab`, `0x00${rest}`, `${decoy}00${rest}`])
      expect(passing(data)).toContain('unknown-call caution');
    for (const data of ['0x', decoy, `${decoy}${rest}`])
      expect(passing(data)).not.toContain('unknown-call caution');
  });
});

describe('a call of an unknown function', () => {
  test('it is a caution, and a danger where the contract is a token that the wallet knows', () => {
    expect(warningsOf('0x12345678')).toEqual(['unknown-call caution']);
    expect(warningsOf('0x12345678', rif)).toEqual(['unknown-call danger']);
    expect(warningsOf(encode('multicall(bytes[])', [['0x12345678']]), rif)).toContain('unknown-call danger');
  });
});

describe('calls inside calls', () => {
  test.each(Object.keys(wrappers))('%s lists the call inside it with its danger', (name) => {
    for (const [method, data] of Object.entries(dangerousCalls)) {
      const wrapped = wrappers[name]?.(data) as Hex;
      expect(all(read(wrapped)).map((call) => call.method)).toContain(method);
      expect(warningsOf(wrapped).some((warning) => warning.endsWith('danger'))).toBe(true);
    }
  });

  test.each(Object.keys(wrappers).filter((name) => !/packed|with bytes|data of|^multicall/.test(name)))(
    '%s names the contract that is called',
    (name) => {
      const tree = read(wrappers[name]?.(dangerousCalls.approve as Hex) as Hex);
      expect(all(tree).find(({ method }) => method === 'approve')).toMatchObject({
        to: someToken,
        tokens: [{ name: 'approve', spender: attacker, token }],
      });
    },
  );

  test('any nesting of wrappers up to the depth lists the innermost call and lifts its danger', () => {
    fc.assert(
      fc.property(nested({ min: 1, max: 6 }), ({ method, data }) => {
        const tree = read(data);
        expect(all(tree).map((call) => call.method)).toContain(method);
        expect(callWarnings([tree], 30).some(({ severity }) => severity === 'danger')).toBe(true);
      }),
      { seed: 20261125, numRuns: 250 },
    );
  });

  test('the innermost call of a nesting of any depth is listed, or a warning says that more calls than are shown', () => {
    fc.assert(
      fc.property(nested({ min: 7, max: 10 }), ({ method, data }) => {
        const tree = read(data);
        const isListed = all(tree).some((call) => call.method === method);
        const codes = callWarnings([tree], 30)
          .filter(({ severity }) => severity === 'danger')
          .map(({ code }) => code);
        expect(codes.length).toBeGreaterThan(0);
        if (!isListed) expect(codes).toContain('calls-not-shown');
      }),
      { seed: 20261125, numRuns: 60 },
    );
  });

  test('more calls than are listed, or more data than is read, is said', () => {
    const one = dangerousCalls.approve as Hex;
    const many = encode('multicall(bytes[])', [Array<Hex>(500).fill(one)]);
    const tree = read(many);
    expect(all(tree).length).toBeLessThanOrEqual(100);
    expect(callWarnings([tree], 30)).toContainEqual({ code: 'calls-not-shown', severity: 'danger' });
  });

  test('the work is bounded by steps, and a call that is not read to its end is a danger', () => {
    let data = dangerousCalls.approve as Hex;
    for (let i = 0; i < 12; i++) data = encode('multicall(bytes[])', [[data, data]]);
    for (const big of [
      data,
      `0x12345678${'00'.repeat(200_000)}`,
      `0xac9650d8${'ff'.repeat(200_000)}`,
    ] as Hex[]) {
      const reader = createCallReader({ maxSteps: 5_000 });
      const tree = reader.read({ to: someContract, data: big });
      expect(reader.steps()).toBeLessThanOrEqual(5_000);
      const severities = callWarnings([tree], 30).map(({ severity }) => severity);
      expect(severities.some((severity) => severity !== 'notice')).toBe(true);
    }
  });

  test('random bytes never break the reader', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 600 }),
        fc.constantFrom(...Object.values(dangerousCalls)),
        (bytes, call) => {
          const noise = Buffer.from(bytes).toString('hex');
          for (const data of [`0x${noise}`, `${call.slice(0, 10)}${noise}`, `${call}${noise}`] as Hex[])
            expect(read(data.length > 2 ? data : '0x00').to).toBe(someContract);
        },
      ),
      { seed: 7, numRuns: 200 },
    );
  });
});
