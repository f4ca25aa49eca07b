import { useRef, useState } from 'preact/hooks';
import { checksumAddress } from '../../../rpc/address.js';
import type { Address } from '../../../rpc/schema.js';
import { tokenCall } from '../../../rpc/token-calls.js';
import { type Content, fill, h } from '../../h.js';
import { about } from '../../pieces/about.js';
import { shortAddress } from '../../pieces/address.js';
import { baseUnits, formatMaxCoins, readAmount } from '../../pieces/amounts.js';
import { Problem, textsOfSending } from '../../pieces/errors.js';
import { errorLine, note, statusLine } from '../../pieces/lines.js';
import { AmountField, problemOfAmount, problemOfBalance, typedAmount } from '../amount.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { type Loaded, useBalance, useFees, useLoaded, usePrice, useTask, useTokens } from '../hooks.js';
import { later } from '../later.js';
import { RecipientField, useRecipient } from '../recipient.js';
import type { PanelFees, PanelPayment, PanelToken } from '../wallet.js';

const speeds = ['slow', 'normal', 'fast'] as const;
type Speed = (typeof speeds)[number];

/** The currency of a payment: the network's coin, or a token. */
interface Asset extends Pick<PanelToken, 'symbol' | 'decimals' | 'balance'> {
  readonly token: PanelToken | null;
}

const PaymentCode = later(async () => (await import('../payment-code.js')).PaymentCode);

/**
 * A form for a payment. The dialog asks before anything is signed. From an account without a key it shows the payment as a code for
 * another wallet.
 */
export function Send({ panel, to: given }: PanelProperties & { to?: Address | undefined }): Content {
  const { wallet, words, account, network } = panel;
  const { currency, chainId } = network;
  const from = account?.address as Address;
  const isWatched = account?.watchOnly === true;
  const task = useTask(words);
  const [chosen, setChosen] = useState('');
  const [to, setTo] = useState(given ? checksumAddress(given, chainId) : '');
  const [typed, setTyped] = useState('');
  const [speed, setSpeed] = useState<Speed>('normal');
  const [hasTried, setTried] = useState(false);
  const field = useRef<HTMLElement>(null);
  /** The network and the account that a code was asked for. */
  const [codeFor, setCodeFor] = useState('');
  const { value: suggestions } = useLoaded(() => import('../suggestions.js'), []);

  const balance = useBalance(panel).value ?? null;
  const price = usePrice(panel).value;
  const tokens = useTokens(panel).value ?? [];
  const coin: Asset = { ...currency, token: null, balance };
  const assets: readonly Asset[] = [
    coin,
    ...tokens
      .filter(({ type, balance: held }) => type === undefined && held !== null && held > 0n)
      .map((token) => ({ ...token, token })),
  ];
  const asset = assets.find(({ token }) => token?.address === chosen) ?? coin;
  const recipient = useRecipient(panel, to);
  const amount = readAmount(typed, asset.decimals, words);
  const units = typeof amount === 'bigint' ? amount : null;

  // The decimals of a token that is not in the wallet's list are what a page has named.
  const shownUnits = units ?? asset.balance ?? 0n;
  const exactUnits =
    asset.token && baseUnits(shownUnits, { decimals: asset.decimals, known: asset.token.listed }, words);

  const payment =
    recipient.address && paymentOf(from, recipient.address, asset, units ?? (asset.token ? 0n : 1n));
  const fees = useFees(panel, isWatched ? null : payment);
  const fee = fees.value && BigInt(fees.value[speed].fee);

  /** The problem with the amount, as a text for the person; `null` for a valid amount. */
  const amountProblem = (): string | null => {
    const problem = problemOfAmount(typed, asset.decimals, words);
    if (problem !== null || units === null) return problem;
    const needed = units + (asset.token ? 0n : (fee ?? 0n));
    const text = asset.token || isWatched ? words.amountShortToken : words.amountShort;
    return problemOfBalance(needed, asset.balance, asset, { text, words });
  };
  /** A token is paid for in the coin. */
  const feeProblem =
    asset.token && fee && balance !== null && fee > balance
      ? fill(words.feeShort, {
          symbol: currency.symbol,
          missing: formatMaxCoins(fee - balance, currency, words),
        })
      : null;

  const place = `${chainId} ${from}`;
  /** Whether an address or a name of the network is typed, and not the name of a contact. */
  const isBegun = /^0x|\./i.test(to.trim());
  const recipientProblem = isBegun || to.trim() === '' ? recipient.problem : words.recipientChoose;
  const choose = (address: Address) => {
    setTo(address);
    field.current?.closest('form')?.querySelector<HTMLElement>('#amount-field')?.focus();
  };

  const useAll = () => {
    if (asset.balance === null) return;
    const all = asset.token ? asset.balance : asset.balance - (fee ?? 0n);
    setTyped(typedAmount(all, asset.decimals, words));
  };

  const submit = () => {
    setTried(true);
    task.run(async () => {
      const problem = recipientProblem ?? amountProblem() ?? feeProblem;
      if (problem !== null) throw new Problem(problem);
      if (recipient.address === null || units === null) throw new Problem(words.lookingUp);
      if (isWatched) return setCodeFor(place);
      const gasPrice = fees.value?.[speed].gasPrice;
      const settled = paymentOf(from, recipient.address, asset, units);
      // The name is shown in the dialog with the address that it leads to.
      const target = asset.token || !recipient.isName ? settled.to : to.trim();
      const hash = await wallet.send({
        ...settled,
        to: target,
        ...(gasPrice !== undefined && { gasPrice }),
      });
      panel.restart('activity');
      panel.go({ view: 'transaction', hash });
    }, textsOfSending(words));
  };

  const shownAmountProblem = typed.trim() === '' && !hasTried ? null : amountProblem();
  const shownRecipientProblem = isBegun || hasTried ? recipientProblem : null;
  if (isWatched && codeFor === place && recipient.address !== null && units !== null)
    return (
      <PaymentCode
        panel={panel}
        account={account}
        to={recipient.address}
        units={units}
        asset={asset}
        back={() => setCodeFor('')}
      />
    );
  return (
    <Form task={task} confirm={isWatched ? words.showCode : words.review} words={words} submit={submit}>
      {isWatched && note(words.payElsewhereNote)}
      {assets.length > 1 && (
        <div class="field">
          <label for="asset">{words.asset}</label>
          <select id="asset" value={chosen} onChange={onText(setChosen)}>
            {assets.map(({ token, symbol: name }) => (
              <option value={token?.address ?? ''} key={token?.address ?? ''}>
                {/* The address distinguishes an imitation from the token that has the same symbol. */}
                {token?.imitates === undefined ? name : `${name} (${shortAddress(token.address, chainId)})`}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field" ref={field} onKeyDown={moveAlong}>
        <RecipientField
          {...{ panel, recipient }}
          id="recipient"
          label={words.recipient}
          typed={to}
          type={setTo}
          problem={shownRecipientProblem}
          invalid={String(shownRecipientProblem !== null)}
        >
          {suggestions && recipient.address !== null && !recipient.isName && (
            <suggestions.KnownParty panel={panel} address={recipient.address} />
          )}
        </RecipientField>
        {suggestions && recipient.address === null && (
          <suggestions.Suggestions panel={panel} typed={to} choose={choose} />
        )}
      </div>
      <AmountField
        {...{ typed, words }}
        type={setTyped}
        asset={asset}
        balance={asset.balance}
        problem={shownAmountProblem}
        // The fee is not known where another wallet pays it.
        useAll={asset.balance === null || (isWatched && !asset.token) ? undefined : useAll}
      >
        {exactUnits !== null && <small>{exactUnits}</small>}
        {price && units && !asset.token ? about(units, currency.decimals, price, words) : null}
      </AmountField>
      {payment !== null && !isWatched && <FeeChoice {...{ fees, speed, setSpeed, panel }} />}
      {feeProblem !== null && errorLine(feeProblem)}
    </Form>
  );
}

function FeeChoice({ fees: { value: fees, failed }, speed, setSpeed, panel }: FeeProperties): Content {
  const { words, network } = panel;
  if (!fees) return statusLine(failed ? words.noFee : words.loading);
  return (
    <fieldset>
      <legend>{words.feeSpeed}</legend>
      <div class="choices">
        {speeds.map((each) => (
          <label class="choice" key={each}>
            <input type="radio" name="speed" checked={speed === each} onChange={() => setSpeed(each)} />
            <span>
              <span class="name">{words.speeds[each]}</span>
            </span>
            <bdi class="soft">{formatMaxCoins(fees[each].fee, network.currency, words)}</bdi>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface FeeProperties extends PanelProperties {
  readonly fees: Loaded<PanelFees | undefined>;
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
}

/** A payment of the coin, or a call of a token's `transfer`. */
function paymentOf(from: Address, to: Address, { token }: Asset, units: bigint): PanelPayment {
  if (!token) return { from, to, value: `0x${units.toString(16)}` };
  return { from, to: token.address, data: tokenCall('transfer', to, units) };
}

const onText =
  (set: (text: string) => void) =>
  ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }): void =>
    set(currentTarget.value);

/** Moves the focus between the field and the suggestions below it, by the arrow keys. */
function moveAlong(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const field = event.currentTarget as HTMLElement;
  const stops = Array.from(field.querySelectorAll<HTMLElement>('input, .suggestions button'));
  const next = step && stops[stops.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
