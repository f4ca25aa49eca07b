import { createWallet } from 'graft-wallet';

const url = import.meta.env.VITE_SERVICE_URL ?? 'https://public-node.testnet.rsk.co';
const wallet = createWallet({ networks: [{ chainId: 31, url }] });
const { request } = wallet.provider;

/** Gets the price of each item: the one address that the kiosk's wallet pays without a question. */
const roaster = '0x5afe51de5afe51de5afe51de5afe51de5afe51de';
/** wei, with the fees: some forty cups. */
const float = 10n ** 15n;
const hours = 12;

const toHex = (value) => `0x${value.toString(16)}`;
const toCoins = (wei) => `${(Number(wei) / 1e18).toFixed(6)} tRBTC`;
const element = (id) => document.getElementById(id);
const show = (id, text) => {
  element(id).textContent = text;
};

/** The operator sets the wallet up, if there is none yet, and agrees once. */
async function openKiosk() {
  const [account] = await request({ method: 'eth_requestAccounts' });
  const permission = {
    chainId: '0x1f',
    to: account, // the account pays by itself
    permission: {
      type: 'native-token-allowance',
      isAdjustmentAllowed: true,
      data: { allowanceAmount: toHex(float), justification: 'Coffee of a day' },
    },
    rules: [
      { type: 'expiry', data: { timestamp: Math.floor(Date.now() / 1_000) + hours * 3_600 } },
      { type: 'payee', data: { addresses: [roaster] } },
    ],
  };
  await request({ method: 'wallet_requestExecutionPermissions', params: [permission] });
  return 'What would you like?';
}

/** Pays for an item, without a dialog while the permission covers it. */
async function sell(item, price) {
  const [from] = await request({ method: 'eth_accounts' });
  const payment = { from, to: roaster, value: toHex(price) };
  const hash = await request({ method: 'eth_sendTransaction', params: [payment] });
  return `Here is your ${item}. Paid with ${hash}`;
}

/** Works also while the wallet is locked. */
async function closeKiosk() {
  for (const { context } of await wallet.permissions()) await wallet.endPermission(context);
  return '';
}

/** Runs one action at a time, and shows how it went. */
async function run(action) {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  show('status', 'A moment…');
  const explain = ({ code, message }) => (code === 4001 ? 'Not this time, then.' : message);
  show('status', await action().catch(explain));
  await showRest();
}

/** Offers what the rest of the permission pays for. */
async function showRest() {
  const [permission] = await wallet.permissions();
  const left = BigInt(permission?.left ?? 0);
  for (const button of document.querySelectorAll('#items button'))
    button.disabled = left < BigInt(button.value);
  element('open').disabled = element('close').disabled = false;
  element('open').hidden = permission !== undefined;
  element('close').hidden = permission === undefined;
  const [account = ''] = await request({ method: 'eth_accounts' });
  show('account', account);
  show('left', permission ? `${toCoins(left)} are left.` : 'The kiosk is closed.');
}

for (const button of document.querySelectorAll('#items button'))
  button.onclick = () => run(() => sell(button.textContent, BigInt(button.value)));
element('open').onclick = () => run(openKiosk);
element('close').onclick = () => run(closeKiosk);

run(async () => '');
