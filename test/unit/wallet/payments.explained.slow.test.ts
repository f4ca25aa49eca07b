import { type Abi, encodeFunctionData, parseAbi, parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { clearSigning, createMemoryStorage, type Hex, type Wallet } from '../../../src/index.js';
import { archiveKeys } from '../../../src/transactions/journal-entry.js';
import { hastenKdfOfFile } from '../../support/hasty-kdf-of-file.js';
import { creationOf } from '../../support/local-client.js';
import { openWallet } from '../../support/open-wallet.js';

hastenKdfOfFile();

const password = 'correct horse';
const vault = `0x${'aa'.repeat(20)}` as const;
const friend = `0x${'b7'.repeat(20)}` as const;
const lookAlike = `${friend.slice(0, 6)}${'5a'.repeat(16)}${friend.slice(-4)}` as Hex;
const signature = 'deposit(address token,uint256 amount,address receiver)';

let local: LocalService;
let wallet: Wallet;
beforeAll(async () => {
  local = await createLocalService({ chainId: 31, dialect: 'node' });
});
afterEach(() => wallet.destroy());
afterAll(() => local.close());

const field = (path: string, format: string, params = {}) => ({ path, label: path, format, params });
const file = {
  $schema: 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json',
  context: { contract: { deployments: [{ chainId: 31, address: vault }] } },
  metadata: { owner: 'Example' },
  display: {
    formats: {
      [signature]: {
        intent: 'Lock tokens',
        fields: [field('amount', 'tokenAmount', { tokenPath: 'token' }), field('receiver', 'addressName')],
      },
    },
  },
};

async function open() {
  const approver = headless({ password });
  const storage = createMemoryStorage();
  wallet = openWallet({
    networks: [{ chainId: 31, url: local.url }],
    approver: () => approver,
    pollingInterval: 30,
    storage,
    describeCall: clearSigning([file]),
  });
  const { address: from } = await wallet.importPrivateKey(generatePrivateKey(), { password });
  await local.controls.faucet(from, parseEther('10'));
  await wallet.provider.request({ method: 'eth_requestAccounts' });
  const send = (to: Hex, data: Hex, value: Hex = '0x0') =>
    wallet.provider.request({ method: 'eth_sendTransaction', params: [{ from, to, data, value }] });
  const deposit = (token: Hex, receiver: Hex) =>
    send(
      vault,
      encodeFunctionData({
        abi: parseAbi([`function ${signature}`] as never) as Abi,
        args: [token, 1_500n, receiver],
      }),
    );
  const last = () => {
    const question = approver.asked.filter(({ kind }) => kind === 'transaction').at(-1);
    if (question?.kind !== 'transaction') throw new Error('nothing was asked');
    return question;
  };
  return { from, storage, send, deposit, last };
}

test('a field that looks like an address that was paid long ago is a danger, as a recipient is', async () => {
  const { storage, send, deposit, last } = await open();
  const party = { address: friend, chainId: 31, isPaid: true };
  await storage.put('archive', [[archiveKeys.party(party), party]]);
  const found = { code: 'resembles-known', severity: 'danger', detail: friend };
  await send(lookAlike, '0x', '0x1');
  expect(last().warnings, 'a payment').toContainEqual(found);
  await deposit(vault, lookAlike);
  expect(last().described?.explained).toBeDefined();
  expect(last().warnings, 'a field').toContainEqual(found);
});

test('a token of a field with the symbol of a known one is a danger', async () => {
  const { from, deposit, last } = await open();
  const symbol = Buffer.from('RBTC').toString('hex').padEnd(64, '0');
  const hash = await wallet.send({ from, to: null, data: creationOf(`7f${symbol}60005260206000f3`) });
  const receipt = await wallet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  await deposit(receipt?.contractAddress as Hex, friend);
  expect(last().described?.explained?.fields[0]).toMatchObject({ token: { imitates: 'RBTC' } });
  expect(last().warnings).toContainEqual({ code: 'imitates-token', severity: 'danger', detail: 'RBTC' });
});
