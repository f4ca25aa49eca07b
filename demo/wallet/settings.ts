import { createMemoryStorage, createVolatileMemory, createWallet, type Wallet } from '../../src/index.js';
import { button, choice, during, explain, find, input, make, say, section } from '../dom.js';
import { type CustomService, recallService, rememberService } from './networks.js';

/** Session storage key of the chain to switch to after the reload that applies a new service. */
const switchKey = 'graft-demo:switch';

/** The form for a custom service. Returns a function that opens it. */
export function startSettings(wallet: Wallet): () => void {
  const dialog = find('settings', HTMLDialogElement);
  const next = Number(sessionStorage.getItem(switchKey));
  if (wallet.networks().some(({ chainId }) => chainId === next)) wallet.switchChain(next);
  sessionStorage.removeItem(switchKey);

  const use = async () => {
    say(section('settings-error'), '');
    const service = {
      url: input('service-url').value.trim(),
      chainId: Number(choice('service-chain').value),
    };
    if (service.url === '') throw new Error('Enter the URL of a service.');
    await reach(service);
    rememberService(service);
    input('service-url').value = '';
    sessionStorage.setItem(switchKey, String(service.chainId));
    location.reload();
  };

  // createWallet's error names its option, which here is a form field.
  const failed = (error: unknown) =>
    say(section('settings-error'), explain(error).replace(/^networks\[0\]\.url(\[0\])?/, 'The URL'));

  section('settings-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void during(button('settings-save'), use, failed);
  });
  button('settings-remove').addEventListener('click', () => {
    rememberService(null);
    location.reload();
  });
  button('settings-close').addEventListener('click', () => dialog.close());

  return () => {
    say(section('settings-error'), '');
    const own = recallService();
    button('settings-remove').hidden = own === null;
    say(
      section('settings-lead'),
      own
        ? 'The first is the service that you named.'
        : 'Balances, fees and blocks come from a service, one for each network.',
    );
    section('settings-networks').replaceChildren(
      ...wallet
        .networks()
        .map(({ name, chainId, urls }) =>
          make(
            'li',
            { class: 'entry' },
            make('span', {}, make('b', {}, name), make('code', {}, hide(urls[0]))),
            make('span', { class: 'tag' }, `chain ${chainId}`),
          ),
        ),
    );
    dialog.showModal();
  };
}

/** Hides the path of a URL, which contains the API key. */
const hide = (url = '') => `${new URL(url).host}/•••`;

/** Checks a service with a temporary wallet. @throws ProviderRpcError when it is unreachable or serves another chain */
async function reach(service: CustomService): Promise<void> {
  const trial = createWallet({
    networks: [service],
    name: 'trial',
    memory: createVolatileMemory(),
    storage: createMemoryStorage(),
  });
  try {
    await trial.provider.request({ method: 'eth_blockNumber' });
  } finally {
    trial.destroy();
  }
}
