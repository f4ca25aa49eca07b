import { useState } from 'preact/hooks';
import { toQuantity } from '../../../rpc/hex.js';
import { bridge, hasBridge, minRelease, weiPerSatoshi } from '../../../rpc/known-contracts.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, fill, h, sentence } from '../../h.js';
import { ownAccount } from '../../pieces/address.js';
import { formatCoins, readAmount } from '../../pieces/amounts.js';
import { bitcoinOf, pegOutRows, wholeBitcoinAddress } from '../../pieces/bitcoin.js';
import { Problem, textsOfSending } from '../../pieces/errors.js';
import { note } from '../../pieces/lines.js';
import { blocks, rows } from '../../pieces/lists.js';
import { AmountField, problemOfAmount, problemOfBalance, typedAmount } from '../amount.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { useBalance, useFees, useLoaded, useSettled, useTask } from '../hooks.js';

type Properties = PanelProperties & { readonly address: Address };

/** A form for a payment to the bridge, which pays bitcoin. The dialog asks before anything is signed. */
export function PegOutForm({ panel, address }: Properties): Content {
  const { wallet, words, network, accounts } = panel;
  const { chainId, currency } = network;
  const account = accounts.find((each) => each.address === address);
  const bitcoin = bitcoinOf(chainId);
  const task = useTask(words);
  const [typed, setTyped] = useState('');
  const [hasTried, setTried] = useState(false);
  const balance = useBalance({ ...panel, account }).value ?? null;
  const destination = useLoaded(() => wallet.bitcoinAddress(address), [address]).value;

  // In satoshis, since the bridge keeps what is less.
  const read = readAmount(typed, bitcoin.decimals, words);
  const amount = typeof read === 'bigint' ? read : 0n;
  const value = toQuantity(amount * weiPerSatoshi);
  const minimum = minRelease(chainId);
  // The same for any amount.
  const fees = useFees(panel, { from: address, to: bridge, value: toQuantity(minimum) });
  const fee = fees.value && BigInt(fees.value.normal.fee);
  const settled = useSettled(value);
  const { value: estimate } = useLoaded(
    async () => (BigInt(settled) < minimum ? null : wallet.pegOutEstimate(settled as typeof value)),
    [settled],
  );

  const problem = (): string | null => {
    const found = problemOfAmount(typed, bitcoin.decimals, words);
    if (found !== null) return found;
    if (BigInt(value) < minimum)
      return fill(words.pegOutMinimum, { amount: formatCoins(minimum, currency, words) });
    const needed = BigInt(value) + (fee ?? 0n);
    return problemOfBalance(needed, balance, currency, { text: words.amountShort, words });
  };
  const useAll = () => {
    const all = ((balance ?? 0n) - (fee ?? 0n)) / weiPerSatoshi;
    setTyped(typedAmount(all, bitcoin.decimals, words));
  };
  const submit = () => {
    setTried(true);
    task.run(async () => {
      const found = problem();
      if (found !== null) throw new Problem(found);
      await wallet.send({ from: address, to: bridge, value });
      panel.restart('accounts');
      panel.go({ view: 'bitcoin', address });
    }, textsOfSending(words));
  };

  if (!hasBridge(chainId)) return <p class="soft">{words.bitcoinNone}</p>;
  const cost = estimate?.fee;
  return (
    <Form task={task} confirm={words.review} words={words} submit={submit}>
      {blocks(
        account ? [words.from, ownAccount(account, chainId)] : null,
        destination ? [words.bitcoinAddress, wholeBitcoinAddress(destination)] : null,
      )}
      <AmountField
        {...{ typed, words }}
        type={setTyped}
        asset={currency}
        balance={balance}
        problem={typed.trim() === '' && !hasTried ? null : problem()}
        useAll={balance === null || fee === undefined ? undefined : useAll}
      />
      {estimate &&
        rows(
          ...pegOutRows({ ...estimate, fee: cost?.toString() }, chainId, words),
          cost !== undefined && amount > cost
            ? [
                words.pegOutReceive,
                sentence(words.pegOutAtLeast, { amount: formatCoins(amount - cost, bitcoin, words) }),
              ]
            : null,
        )}
      <div aria-live="polite">{estimate?.verdict === 'near-fee' && note(words.warning['bridge-fee'][1])}</div>
    </Form>
  );
}
