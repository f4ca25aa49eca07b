import { useState } from 'preact/hooks';
import type { Allowance } from '../../../assets/allowances.js';
import { own } from '../../../rpc/own.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, Fragment, fill, h, sentence } from '../../h.js';
import { party } from '../../pieces/address.js';
import { formatDate } from '../../pieces/amounts.js';
import { chip, errorLine, statusLine } from '../../pieces/lines.js';
import type { PanelProperties } from '../context.js';
import { type Teller, useTeller } from '../effects.js';
import { GuardedButton } from '../guarded.js';
import { useLoaded, useTask } from '../hooks.js';

/** The rights over tokens of an account, with a button that takes each back. */
export function AllowanceList({ panel, address }: PanelProperties & { address: Address }): Content {
  const { wallet, words, network, version } = panel;
  const task = useTask(words);
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const { value: found, failed } = useLoaded(
    async () => (await wallet.allowances(address)).map(own),
    [address, network.chainId, version],
  );
  const teller = useTeller(
    panel,
    (found ?? []).map(({ token }) => token),
  );
  const revoke = (allowance: Allowance) =>
    task.run(
      async () => {
        await wallet.revoke(allowance);
        setRevoked((before) => [...before, keyOf(allowance)]);
      },
      { 4001: '' },
    );
  if (!found) return failed ? errorLine(words.allowancesFailed) : statusLine(words.loading);
  return (
    <>
      <p class="soft">{words.allowancesLead}</p>
      {found.length === 0 && <p>{words.noAllowances}</p>}
      {errorLine(task.error ?? (failed ? words.allowancesFailed : null))}
      <ul class="cards">
        {found.map((each) => (
          <li class="item" key={keyOf(each)}>
            <div class="line wraps">
              <span class="grow name">{tell(each, teller)}</span>
              {each.isUnlimited && chip(words.unlimitedRight, 'bad')}
            </div>
            {party(each.spender, network.chainId, each.spenderName ?? null)}
            <small>{fill(words.givenOn, { date: formatDate(each.givenAt, words) })}</small>
            {revoked.includes(keyOf(each)) ? (
              <p class="soft">{words.revoking}</p>
            ) : (
              <div class="actions">
                <GuardedButton label={words.revoke} act={() => revoke(each)} isBusy={task.isRunning} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const keyOf = ({ token, spender, amount }: Allowance): string => [token, spender, amount === 'all'].join();

/** Tells how much of which token may be moved. */
function tell({ token, amount, isUnlimited }: Allowance, { words, ...teller }: Teller): Content {
  const name = teller.token(token);
  if (amount === 'all') return sentence(words.anyItemOf, { token: name });
  if (isUnlimited) return sentence(words.anyAmountOf, { token: name });
  if (!teller.isNamed(token)) return name;
  return sentence(words.amountUpTo, { amount: teller.amount({ token, amount }) });
}
