import { useRef } from 'preact/hooks';
import type { Service } from '../../../service/service.js';
import { type Content, Fragment, fill, h } from '../../h.js';
import { badge } from '../../pieces/badge.js';
import { Problem } from '../../pieces/errors.js';
import { button, textField } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import { chip, errorLine } from '../../pieces/lines.js';
import { siteName } from '../../pieces/site.js';
import type { PanelWords } from '../../words/words.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { useTask } from '../hooks.js';

/** The networks of this page, and those that were added. */
export function Networks({ panel }: PanelProperties): Content {
  const { words, wallet, network: active } = panel;
  const task = useTask(words);
  const usage = wallet.usage();
  const added = new Set((wallet.state().networks ?? []).map(({ chainId }) => chainId));
  return (
    <>
      <ul class="cards">
        {wallet.networks().map((network) => {
          const { chainId, name, urls, addedBy } = network;
          const verified = usage.get(chainId)?.verified;
          return (
            <li class="line" key={chainId}>
              <span class="grow">
                {badge(network, words)}
                <small>
                  {fill(words.chainNumber, { id: chainId })} · <bdi>{hostOf(urls[0])}</bdi>
                </small>
                {addedBy !== undefined && (
                  <small>
                    {words.addedNetwork} <bdi>{siteName(addedBy)}</bdi>
                  </small>
                )}
                {verified && <small>{verdictOn(verified, words)}</small>}
              </span>
              {chainId === active.chainId ? (
                chip(words.active, 'good')
              ) : (
                <GuardedButton
                  label={words.use}
                  act={() => wallet.switchChain(chainId)}
                  class="small"
                  aria-label={`${words.use}: ${name}`}
                />
              )}
              {added.has(chainId) && (
                <GuardedButton
                  label={icon('icon', 'M5 5 15 15M15 5 5 15')}
                  act={() => task.run(() => wallet.removeNetwork(chainId))}
                  isBusy={task.isRunning}
                  class="icon-button"
                  aria-label={fill(words.removeNetwork, { name })}
                />
              )}
            </li>
          );
        })}
      </ul>
      {errorLine(task.error)}
      <div class="actions">{button(words.addNetwork, () => panel.go({ view: 'add-network' }))}</div>
    </>
  );
}

/** How the replies of a network stood against Bitcoin's work, in words. */
function verdictOn({ quarantined, contradicted, proven }: Service.Verified, words: PanelWords): string {
  if (quarantined.length > 0) return fill(words.nodesLeftOut, { hosts: quarantined.join(', ') });
  if (contradicted > 0) return words.contradictedNote;
  return proven > 0 ? words.provenNote : words.claimedNote;
}

/** The host alone: the path of the URL contains the API key. */
const hostOf = (url = ''): string => {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
};

/** Adds a network, once its service has confirmed which chain it serves. */
export function AddNetwork({ panel }: PanelProperties): Content {
  const { words, wallet } = panel;
  const task = useTask(words);
  const url = useRef<HTMLInputElement>(null);
  const chain = useRef<HTMLInputElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const symbol = useRef<HTMLInputElement>(null);
  const submit = () =>
    task.run(
      async () => {
        const chainId = Number(chain.current?.value.trim());
        const unit = symbol.current?.value.trim() ?? '';
        const label = name.current?.value.trim() ?? '';
        if (!Number.isSafeInteger(chainId) || chainId <= 0 || unit === '' || label === '')
          throw new Problem(words.networkInvalid);
        if (wallet.networks().some((network) => network.chainId === chainId))
          throw new Problem(words.networkKnown);
        await wallet.addNetwork({
          chainId,
          url: url.current?.value.trim() ?? '',
          name: label,
          currency: { name: unit, symbol: unit, decimals: 18 },
        });
        panel.back();
      },
      { [-32602]: words.networkInvalid },
    );
  return (
    <Form task={task} confirm={words.addNetwork} words={words} submit={submit}>
      {textField('url', words.networkUrl, url, '', words.networkUrlNote, 'https://')}
      {textField('chain', words.networkChain, chain)}
      {textField('network-name', words.networkName, name)}
      {textField('symbol', words.networkSymbol, symbol)}
    </Form>
  );
}
