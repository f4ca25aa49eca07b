import { TypedDataEncoder, Wallet } from 'ethers';
import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { sign } from '../../src/keyring/signer.js';
import { readTypedData } from '../../src/keyring/typed-data/typed-data.js';
import { hexToBytes } from '../../src/rpc/hex.js';
import { serialize, signingDigest } from '../../src/rpc/transaction.js';
import { atLeast, type Extent, type Row, times } from './row.js';
import { interleave, median, ratio } from './sample.js';

// The key of the example in EIP-155.
const privateKey = `0x${'46'.repeat(32)}` as const;
const to = `0x${'35'.repeat(20)}` as const;

/** The example of EIP-712. */
const mail = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
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
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
} as const;

/** Calls per second, over at least `span` milliseconds. */
async function rate(span: number, call: (index: number) => unknown): Promise<number> {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  do {
    for (let i = 0; i < 20; i++) await call(calls++);
    elapsed = performance.now() - start;
  } while (elapsed < span);
  return (calls * 1000) / elapsed;
}

export async function measureSigning({ short }: Extent): Promise<Row[]> {
  const rounds = short ? 5 : 21;
  const span = short ? 60 : 150;
  const key = hexToBytes(privateKey);
  const account = privateKeyToAccount(privateKey);
  const wallet = new Wallet(privateKey);
  const gasPrice = 60_000_000;

  const ours = (index: number) => {
    const nonce = `0x${index.toString(16)}` as const;
    const transaction = {
      nonce,
      to,
      chainId: 31,
      gasPrice: '0x3938700',
      gas: '0x5208',
      value: '0xde0b6b3a7640000',
      data: '0x',
    } as const;
    return serialize(transaction, sign(signingDigest(transaction), key)).raw;
  };
  const viem = (nonce: number) =>
    account.signTransaction({
      type: 'legacy',
      nonce,
      to,
      chainId: 31,
      gasPrice: BigInt(gasPrice),
      gas: 21_000n,
      value: 10n ** 18n,
    });
  const ethers = (nonce: number) =>
    wallet.signTransaction({
      type: 0,
      nonce,
      to,
      chainId: 31,
      gasPrice,
      gasLimit: 21_000,
      value: 10n ** 18n,
    });
  agree([ours(7), await viem(7), await ethers(7)]);

  const { EIP712Domain: _, ...types } = mail.types;
  const hash = {
    ours: () => readTypedData(mail, 'params[1]', { chainId: 1 }).digest,
    viem: () => hashTypedData(mail as Parameters<typeof hashTypedData>[0]),
    ethers: () =>
      TypedDataEncoder.hash(
        mail.domain,
        types as unknown as Parameters<typeof TypedDataEncoder.hash>[1],
        mail.message,
      ),
  };
  agree([hash.ours(), hash.viem(), hash.ethers()]);

  const signed = await interleave(rounds, {
    ours: () => rate(span, ours),
    viem: () => rate(span, viem),
    ethers: () => rate(span, ethers),
  });
  const hashed = await interleave(rounds, {
    ours: () => rate(span, hash.ours),
    viem: () => rate(span, hash.viem),
    ethers: () => rate(span, hash.ethers),
  });
  return [
    row('Sign and serialise a legacy transaction, per second', signed, 1.2),
    row('Validate and hash typed data (EIP-712 example), per second', hashed, 1.5),
  ];
}

function row(what: string, rates: Record<'ours' | 'viem' | 'ethers', number[]>, limit: number): Row {
  const figure = (values: number[]) => Math.round(median(values)).toLocaleString('en');
  const overViem = ratio(rates.ours, rates.viem);
  return {
    what,
    ours: figure(rates.ours),
    peers: `viem ${figure(rates.viem)}, ethers ${figure(rates.ethers)}`,
    ratio: `${times(overViem)} viem, ${times(ratio(rates.ours, rates.ethers))} ethers`,
    aim: atLeast(overViem, limit, `≥ ${limit}× viem`),
  };
}

function agree(results: readonly string[]): void {
  if (new Set(results).size !== 1) throw new Error(`Not the same work: ${results.join(' ')}`);
}
