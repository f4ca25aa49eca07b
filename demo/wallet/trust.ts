import { local } from 'virtual:local-service';
import type { Wallet } from '../../src/index.js';
import { button, during, explain, input, make, say, section } from '../dom.js';

/** Blocks on top of a payment that its proof has: a few seconds on the local chain. */
const confirmations = 3;

/** The switch that makes the first local node lie, the wallet's verdict on it, and the proof of the last payment. */
export function startTrust(wallet: Wallet): void {
  if (local?.other === undefined) return;
  const { lie, chainId } = local;
  section('trust').hidden = false;
  const show = () => say(section('verdict'), verdictOf(wallet, chainId));
  wallet.watch(show);
  wallet.provider.on('message', show);
  show();

  const failed = (error: unknown) => say(section('trust-error'), explain(error));
  input('lie').addEventListener('change', () => {
    fetch(lie, { method: 'POST', body: input('lie').checked ? 'on' : 'off' }).catch(failed);
  });
  const save = async () => {
    say(section('trust-error'), '');
    const transactions = await wallet.transactions({ chainId });
    const last = transactions.findLast(({ state }) => state === 'mined');
    if (!last) throw new Error('Send a payment first.');
    const proof = await wallet.prove(last.hash, { confirmations });
    const href = URL.createObjectURL(new Blob([JSON.stringify(proof)], { type: 'application/json' }));
    make('a', { href, download: 'payment-proof.json' }).click();
  };
  button('save-proof').addEventListener('click', () => void during(button('save-proof'), save, failed));
}

/** The wallet's word for what its nodes said. */
function verdictOf(wallet: Wallet, chainId: number): string {
  const verified = wallet.usage().get(chainId)?.verified;
  if (!verified) return 'Nothing was read yet.';
  const { proven, quarantined, last } = verified;
  if (quarantined.length > 0)
    return `Contradicted: ${quarantined.join(', ')} said what cannot be true. ${last} The other node answers now.`;
  return `Proven: ${proven.toLocaleString('en')} answers hold against the work of the miners.`;
}
