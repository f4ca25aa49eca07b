import { toHex } from 'viem';
import type { Warning } from '../../../src/approvals/warning.js';
import { readTypedData } from '../../../src/keyring/typed-data/typed-data.js';
import type { Requester } from '../../../src/session/requester.js';
import { type DescribedTypedData, describeTypedData } from '../../../src/signatures/describe-typed-data.js';
import { type Form, owner } from './forms.js';

/** Describes typed data to its signer, where no token reports anything about itself. */

const service = {
  network: { chainId: 31, currency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 } },
  request: async () => toHex(0),
};

const requester = {
  origin: 'https://app.example',
  account: { address: owner, label: 'Account 1' },
  network: {
    chainId: 31,
    name: 'Rootstock Testnet',
    symbol: 'tRBTC',
    decimals: 18,
    testnet: true,
    source: '',
  },
  ownAddresses: [owner],
  service,
} as unknown as Requester;

export const described = (form: Form): Promise<DescribedTypedData> =>
  describeTypedData(readTypedData(form, 'p', { chainId: 31 }), requester);

export const codesOf = ({ warnings }: DescribedTypedData): readonly string[] =>
  warnings.map(({ code }) => code);

/** The highest severity; `none` without warnings. */
export const severityOf = ({ warnings }: DescribedTypedData): Warning['severity'] | 'none' =>
  warnings[0]?.severity ?? 'none';
