/** A dapp whose wallet is on the site that the address of this page names. */
import { connectBridge } from '../../../../src/bridge/client.js';

const host = new URLSearchParams(location.search).get('wallet') ?? '';
const { provider } = connectBridge({ host });
const payee = '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb';

const ask = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
  provider.request({ method, params } as never);

async function account(): Promise<unknown> {
  const [first] = (await ask('eth_requestAccounts')) as readonly unknown[];
  return first;
}

const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  Connect: () => ask('eth_requestAccounts'),
  Sign: async () => ask('personal_sign', '0x68656c6c6f', await account()),
  Pay: async () => ask('eth_sendTransaction', { from: await account(), to: payee, value: '0x5' }),
  Both: async () => {
    const from = await account();
    return Promise.all(['0x61', '0x62'].map((text) => ask('personal_sign', text, from)));
  },
  Choose: () => ask('wallet_requestPermissions', { eth_accounts: {} }),
  Accounts: () => ask('eth_accounts'),
  Chain: () => ask('eth_chainId'),
  Price: () => ask('eth_gasPrice'),
  Elsewhere: () => ask('eth_sendTransaction', { from: payee, to: payee, value: '0x5' }),
};

const output = document.createElement('output');
for (const [name, act] of Object.entries(acts)) {
  const button = document.createElement('button');
  button.textContent = name;
  const run = async () => {
    output.value = '';
    output.value = JSON.stringify(await act().catch(({ code }) => code));
  };
  button.addEventListener('click', () => void run());
  document.body.append(button);
  if (location.hash === `#${name}`) void run();
}
document.body.append(output);
