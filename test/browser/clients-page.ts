/** The page of `clients.test.ts`: the wallet, and two libraries that speak to its provider as dapps let them. */
import {
  BrowserProvider,
  Contract,
  ContractFactory,
  isCallException,
  parseEther as parseCoins,
} from 'ethers';
import {
  type Address,
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type Hex,
  parseAbi,
  parseEther,
} from 'viem';
import { tokenCode } from '../../demo/dapp/contracts/token.js';
import { createWallet, type Wallet } from '../../src/index.js';

/** What a dapp does with its library. Bigints travel as decimal strings. */
export interface Client {
  connect(): Promise<string>;
  send(to: string): Promise<{ hash: string; status: string }>;
  /** The address of a token with a supply of a million base units. */
  deploy(): Promise<string>;
  balance(token: string, owner: string): Promise<string>;
  transfer(token: string, to: string, units: number): Promise<string>;
  /** How the library explains a transfer of too many tokens. */
  revert(token: string, to: string): Promise<string>;
  /** Starts to listen for transfers; they are collected in what {@link events} returns. */
  watch(token: string): Promise<void>;
  events(): readonly { to: string; units: string }[];
}

export interface ClientsPage {
  readonly wallet: Wallet;
  readonly viem: Client;
  readonly ethers: Client;
}

const abi = [
  'constructor(uint256 supply)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
] as const;
const supply = 1_000_000n;
const tooMany = supply + 1n;

const url = new URLSearchParams(location.search).get('service') as string;
const wallet = createWallet({ networks: [{ chainId: 33, url }], name: 'clients', pollingInterval: 300 });

Object.assign(window, {
  page: { wallet, viem: viemClient(wallet), ethers: ethersClient(wallet) } satisfies ClientsPage,
});

function viemClient({ provider }: Wallet): Client {
  const chain = defineChain({
    id: 33,
    name: 'Rootstock Local',
    nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'tRBTC', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const transport = custom(provider);
  const reader = createPublicClient({ chain, transport, pollingInterval: 300 });
  const writer = createWalletClient({ chain, transport });
  const contract = parseAbi(abi);
  const seen: { to: string; units: string }[] = [];
  let account: Address;

  const mined = (hash: Hex) => reader.waitForTransactionReceipt({ hash });
  return {
    async connect() {
      account = (await writer.requestAddresses())[0] as Address;
      return account.toLowerCase();
    },
    async send(to) {
      const hash = await writer.sendTransaction({ account, to: to as Address, value: parseEther('0.5') });
      return { hash, status: (await mined(hash)).status };
    },
    async deploy() {
      const bytecode = tokenCode as Hex;
      const hash = await writer.deployContract({ account, abi: contract, bytecode, args: [supply] });
      return (await mined(hash)).contractAddress as string;
    },
    balance: async (token, owner) =>
      String(
        await reader.readContract({
          address: token as Address,
          abi: contract,
          functionName: 'balanceOf',
          args: [owner as Address],
        }),
      ),
    async transfer(token, to, units) {
      const hash = await writer.writeContract({
        account,
        address: token as Address,
        abi: contract,
        functionName: 'transfer',
        args: [to as Address, BigInt(units)],
      });
      return (await mined(hash)).status;
    },
    async revert(token, to) {
      try {
        await reader.simulateContract({
          account,
          address: token as Address,
          abi: contract,
          functionName: 'transfer',
          args: [to as Address, tooMany],
        });
        return 'no revert';
      } catch (error) {
        const cause = (error as BaseError).walk((each) => each instanceof ContractFunctionRevertedError);
        return cause instanceof ContractFunctionRevertedError ? String(cause.reason) : String(error);
      }
    },
    async watch(token) {
      reader.watchContractEvent({
        address: token as Address,
        abi: contract,
        eventName: 'Transfer',
        onLogs: (logs) => {
          for (const { args } of logs)
            seen.push({ to: String(args.to).toLowerCase(), units: String(args.value) });
        },
      });
    },
    events: () => seen,
  };
}

function ethersClient(wallet: Wallet): Client {
  const provider = new BrowserProvider(wallet.provider);
  provider.pollingInterval = 300;
  const signer = () => provider.getSigner();
  const token = async (address: string) => new Contract(address, abi, await signer());
  const seen: { to: string; units: string }[] = [];
  return {
    connect: async () => (await (await signer()).getAddress()).toLowerCase(),
    async send(to) {
      const sent = await (await signer()).sendTransaction({ to, value: parseCoins('0.5') });
      const receipt = await sent.wait();
      return { hash: sent.hash, status: receipt?.status === 1 ? 'success' : 'reverted' };
    },
    async deploy() {
      const factory = new ContractFactory(abi, tokenCode, await signer());
      const deployed = await factory.deploy(supply);
      await deployed.waitForDeployment();
      return deployed.getAddress();
    },
    balance: async (address, owner) => String(await (await token(address)).getFunction('balanceOf')(owner)),
    async transfer(address, to, units) {
      const sent = await (await token(address)).getFunction('transfer')(to, units);
      const receipt = await sent.wait();
      return receipt.status === 1 ? 'success' : 'reverted';
    },
    async revert(address, to) {
      try {
        await (await token(address)).getFunction('transfer').staticCall(to, tooMany);
        return 'no revert';
      } catch (error) {
        return isCallException(error) ? String(error.reason) : String(error);
      }
    },
    async watch(address) {
      await (await token(address)).on('Transfer', (_from: string, to: string, value: bigint) => {
        seen.push({ to: to.toLowerCase(), units: String(value) });
      });
    },
    events: () => seen,
  };
}
