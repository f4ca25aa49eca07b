import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../../packages/kit/src/local/index.js';
import type { TransactionQuestion } from '../../../../src/approvals/question.js';
import { checksumAddress } from '../../../../src/index.js';
import { values } from '../../../support/keys.js';
import { openPage, type Page } from '../../../support/page.js';

/** ERC-1191: checksums with a chain id. What the addresses of a page may look like. */

let service: LocalService;
let page: Page;
beforeAll(async () => {
  service = await createLocalService({ chainId: 31 });
  await service.controls.faucet(values.$A0, 10n ** 18n);
  page = openPage({ networks: [{ chainId: 31, url: service.url }] });
});
afterAll(async () => {
  page.close();
  await service.close();
});

/** The test cases of ERC-1191 (CC0), by chain. */
const vectors: Readonly<Record<1 | 30 | 31, readonly `0x${string}`[]>> = {
  1: [
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x3599689E6292b81B2d85451025146515070129Bb',
    '0x42712D45473476b98452f434e72461577D686318',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x6549f4939460DE12611948b3f82b88C3C8975323',
    '0x66f9664f97F2b50F62D13eA064982f936dE76657',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0x88021160C5C792225E4E5452585947470010289D',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xde709f2102306220921060314715629080e2fb77',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ],
  30: [
    '0x27b1FdB04752BBc536007A920D24ACB045561c26',
    '0x3599689E6292B81B2D85451025146515070129Bb',
    '0x42712D45473476B98452f434E72461577d686318',
    '0x52908400098527886E0F7030069857D2E4169ee7',
    '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
    '0x6549F4939460DE12611948B3F82B88C3C8975323',
    '0x66F9664f97f2B50F62d13EA064982F936de76657',
    '0x8617E340b3D01Fa5f11f306f4090fd50E238070D',
    '0x88021160c5C792225E4E5452585947470010289d',
    '0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB',
    '0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB',
    '0xDe709F2102306220921060314715629080e2FB77',
    '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359',
  ],
  31: [
    '0x27B1FdB04752BbC536007a920D24acB045561C26',
    '0x3599689e6292b81b2D85451025146515070129Bb',
    '0x42712D45473476B98452F434E72461577D686318',
    '0x52908400098527886E0F7030069857D2e4169EE7',
    '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
    '0x6549f4939460dE12611948b3f82b88C3c8975323',
    '0x66f9664F97F2b50f62d13eA064982F936DE76657',
    '0x8617e340b3D01fa5F11f306F4090Fd50e238070d',
    '0x88021160c5C792225E4E5452585947470010289d',
    '0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB',
    '0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB',
    '0xDE709F2102306220921060314715629080e2Fb77',
    '0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359',
  ],
};
const lower = (address: string) => address.toLowerCase() as `0x${string}`;

test('ERC-1191 (1) the chain id is hashed for chains 30 and 31 only', () => {
  const address = lower(vectors[1][4] as string);
  expect([1, 30, 31].map((chainId) => checksumAddress(address, chainId))).toEqual([
    vectors[1][4],
    vectors[30][4],
    vectors[31][4],
  ]);
  expect(checksumAddress(address)).toBe(vectors[1][4]);
});

test('ERC-1191 (2) the 39 vectors of the ERC have their checksums', () => {
  const all = ([1, 30, 31] as const).flatMap((chainId) =>
    vectors[chainId].map((address) => [chainId, address] as const),
  );
  expect(all).toHaveLength(39);
  for (const [chainId, address] of all) expect(checksumAddress(lower(address), chainId)).toBe(address);
});

test('ERC-1191 (3) every other chain has the plain checksum', () => {
  for (const chainId of [2, 33, 137, 3030, 1337])
    for (const address of vectors[1]) expect(checksumAddress(lower(address), chainId)).toBe(address);
});

test('ERC-1191 (4) the checksum of the other network is accepted, and the person is warned', async () => {
  page.decide(() => false);
  const warnings = async (chainId?: number) => {
    const to = checksumAddress(values.$X as `0x${string}`, chainId);
    const transaction = { from: values.$A0, to, value: '0x1' };
    expect(await page.refusal('eth_sendTransaction', [transaction])).toMatchObject({ code: 4001 });
    const question = page.questions.at(-1) as TransactionQuestion;
    expect(question.transaction.to).toBe(values.$X);
    return question.warnings.map(({ code }) => code);
  };
  expect(await warnings(30)).toContain('other-network-checksum');
  expect(await warnings(31)).not.toContain('other-network-checksum');
  expect(await warnings()).not.toContain('other-network-checksum');
});
