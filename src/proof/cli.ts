#!/usr/bin/env node
import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isProviderRpcError } from '../rpc/errors.js';
import type { Address } from '../rpc/schema.js';
import { maxFileSize } from './payment-proof.js';
import { verifyPayment } from './verify-payment.js';

const usage = `graft-proof: checks a payment proof, without any network

  graft-proof check payment.json --to 0x… --value 1000000000000000 [--token 0x…]
      Says what is proven, or what is missing. --value: wei, or base units of the token.

  --confirmations 12   the least number of blocks on top of the payment's
  --chain 30           the chain: 30 is Rootstock's mainnet
  --floor …            the least difficulty of each block; other chains than mainnet need one
  --json               prints the result as JSON

  Ends with 0 if the payment is proven, with 1 if it is not, with 2 if it cannot be checked.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      value: { type: 'string' },
      token: { type: 'string' },
      confirmations: { type: 'string', default: '12' },
      chain: { type: 'string', default: '30' },
      floor: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, path, ...others] = positionals;
  if (values.help) {
    console.log(usage);
    return;
  }
  if (command !== 'check' || !path || others.length > 0 || !values.to || !values.value)
    throw new TypeError(usage);
  const proof = await readStart(path);
  const options: verifyPayment.Options = {
    to: values.to as Address,
    value: integer(values.value, '--value'),
    token: values.token as Address | undefined,
    confirmations: Number(integer(values.confirmations, '--confirmations')),
    chainId: Number(integer(values.chain, '--chain')),
    floor: values.floor === undefined ? undefined : integer(values.floor, '--floor'),
  };
  try {
    const { statement, ...payment } = verifyPayment(proof, options);
    print(values.json, { proven: true, statement, ...payment }, `Proven: ${statement}`);
  } catch (error) {
    const { verdict } = (isProviderRpcError(error) ? (error.data ?? {}) : {}) as { verdict?: string };
    if (verdict === undefined) throw error;
    const reason = (error as Error).message.replace(/^proof: /, '');
    print(values.json, { proven: false, verdict, reason }, `Not proven (${verdict}): ${reason}`);
    process.exitCode = 1;
  }
}

const print = (asJson: boolean, result: object, text: string): void =>
  console.log(
    asJson
      ? JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2)
      : text,
  );

function integer(text: string, name: string): bigint {
  if (!/^\d{1,80}$/.test(text)) throw new TypeError(`${name}: expected a whole number`);
  return BigInt(text);
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    // One byte too many is enough to refuse the file.
    const size = maxFileSize + 1;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

main().catch((error: Error) => {
  console.error(error instanceof TypeError || isProviderRpcError(error) ? error.message : String(error));
  process.exitCode = 2;
});
