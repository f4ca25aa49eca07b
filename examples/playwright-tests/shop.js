/** The dapp under test. It knows `window.ethereum` only, and nothing of Graft or of tests. */

const shop = '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb';
const result = document.querySelector('#result');

async function buy() {
  const { ethereum } = window;
  const [from] = await ethereum.request({ method: 'eth_requestAccounts' });
  const transaction = { from, to: shop, value: `0x${(10n ** 16n).toString(16)}` };
  const hash = await ethereum.request({ method: 'eth_sendTransaction', params: [transaction] });
  result.value = `Paid with ${hash}`;
}

document.querySelector('#buy').onclick = () =>
  buy().catch((error) => {
    result.value = error.code === 4001 ? 'No apple, then.' : error.message;
  });
