import { createWallet } from 'graft-wallet';
import { rootstockTestnet as chain, graftTransport, permissionActions } from 'graft-wallet/viem';
import { createPublicClient, createWalletClient, parseAbi, parseEther } from 'viem';
import { bytecode } from './bytecode.js';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: chain.id, url }] });

const transport = graftTransport(wallet);
const reader = createPublicClient({ chain, transport });
const writer = createWalletClient({ chain, transport }).extend(permissionActions);

const abi = parseAbi([
  'function move(uint8 to)',
  'function knightOf(address player) view returns (uint8 square, uint64 visited, uint32 moves)',
]);

/** The player's account; `undefined` before they connect. */
export const readAccount = async () => (await writer.getAddresses())[0];

export const connect = () => writer.requestAddresses();

/** The game's contract; `null` before it is deployed. Yours has one address, for all players. */
async function readContract() {
  const address = localStorage.getItem('contract');
  return address && (await reader.getCode({ address })) ? address : null;
}

async function deploy(account) {
  const hash = await writer.deployContract({ account, abi, bytecode });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  localStorage.setItem('contract', contractAddress);
  return contractAddress;
}

/** The one question: moves for a day, up to an amount that includes their fees. */
export async function agree() {
  const account = await readAccount();
  const address = (await readContract()) ?? (await deploy(account));
  await writer.requestExecutionPermissions({
    account,
    permissions: [
      {
        type: 'graft-contract-calls',
        contracts: [{ address, selectors: ['move(uint8)'] }],
        allowanceAmount: parseEther('0.0002'),
        expiry: Math.floor(Date.now() / 1_000) + 86_400,
        justification: 'Moves of your knight',
      },
    ],
  });
}

/** The permission that runs, with what is left of it; `undefined` if none does. */
export const readPermission = async () => (await wallet.permissions())[0];

export async function endPermission() {
  const { context } = await readPermission();
  await wallet.endPermission(context);
}

/** The player's knight, as the contract has it; `null` before there is one. */
export async function readKnight() {
  const account = await readAccount();
  const address = account && (await readContract());
  if (!address) return null;
  const [square, visited, moves] = await reader.readContract({
    address,
    abi,
    functionName: 'knightOf',
    args: [account],
  });
  return { square, visited, moves };
}

/** Sends a move as any dapp does: the wallet knows whether it has to ask. Resolves once it is mined. */
export async function move(square) {
  const [account, address] = [await readAccount(), await readContract()];
  const hash = await writer.writeContract({ account, address, abi, functionName: 'move', args: [square] });
  const { status } = await reader.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error('The move failed.');
}
