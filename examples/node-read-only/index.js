import { createWallet } from 'graft-wallet';
import { graftTransport, rootstockTestnet } from 'graft-wallet/viem';
import { createPublicClient, formatEther } from 'viem';

const url = process.env.SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const bridge = '0x0000000000000000000000000000000001000006';

const wallet = createWallet({ networks: [{ chainId: rootstockTestnet.id, url }] });
const client = createPublicClient({ chain: rootstockTestnet, transport: graftTransport(wallet) });

const [{ number, minimumGasPrice }, balance] = await Promise.all([
  client.getBlock(),
  client.getBalance({ address: bridge }),
]);
process.stdout.write(`block ${number}, at least ${minimumGasPrice} wei per gas\n`);
process.stdout.write(`the two-way peg holds ${formatEther(balance)} tRBTC\n`);

// Ends what the wallet still watches.
wallet.destroy();
