import { getAccount, signMessage, watchAccount } from '@wagmi/core';
import { config, kit } from './wagmi.js';

const [connect, sign] = document.querySelectorAll('button');
const [account, signature] = document.querySelectorAll('p');

function show({ address }) {
  account.textContent = address ?? '';
  sign.disabled = address === undefined;
}

watchAccount(config, { onChange: show });
show(getAccount(config));

connect.onclick = () => kit.open();
sign.onclick = async () => {
  signature.textContent = await signMessage(config, { message: 'Hello from AppKit' }).catch(
    (error) => error.shortMessage ?? error.message,
  );
};
