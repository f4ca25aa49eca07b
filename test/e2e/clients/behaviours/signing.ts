import { type Hex, type TypedDataDefinition, verifyMessage, verifyTypedData } from 'viem';
import { expect } from 'vitest';
import { type Behaviour, failed, failure, shows, succeeded } from '../behaviour.js';
import type { TypedData } from '../client.js';

/** Messages and typed data, verified by a library that signed nothing: viem's functions, which ask nobody. */

const text = 'A message, with a leaf: 🌿';

const letter: TypedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Letter: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'pages', type: 'uint256' },
    ],
  },
  primaryType: 'Letter',
  domain: {
    name: 'Letters',
    version: '1',
    chainId: 33,
    verifyingContract: '0x5afe51de5afe51de5afe51de5afe51de5afe51de',
  },
  message: {
    from: { name: 'Ada', wallet: '0x00000000000000000000000000000000000000aa' },
    to: { name: 'Bea', wallet: '0x00000000000000000000000000000000000000bb' },
    pages: '3',
  },
};

export const signingBehaviours: readonly Behaviour[] = [
  failure('sign a message, refused', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.signMessage(text), 'refuse');
    failed(act, expected, ['message']);
    return shows(act);
  }),
  {
    name: 'sign a message',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.signMessage(text));
      const signature = succeeded(act, ['message']) as Hex;
      const [address] = rig.accounts as [Hex, Hex];
      expect(await verifyMessage({ address, message: text, signature })).toBe(true);
      return shows(act);
    },
  },
  failure('sign typed data, refused', async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.signTypedData(letter), 'refuse');
    failed(act, expected, ['typed-data']);
    return shows(act);
  }),
  {
    name: 'sign typed data',
    async run(rig) {
      await rig.connected();
      const act = await rig.act((client) => client.signTypedData(letter));
      const signature = succeeded(act, ['typed-data']) as Hex;
      const [address] = rig.accounts as [Hex, Hex];
      const signed = letter as unknown as TypedDataDefinition;
      expect(await verifyTypedData({ ...signed, address, signature })).toBe(true);
      return shows(act);
    },
  },
];
