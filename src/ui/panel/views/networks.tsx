import { createRef } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Content, Fragment, fill, h } from '../../h.js';
import { badge } from '../../pieces/badge.js';
import { Problem } from '../../pieces/errors.js';
import { button, textField } from '../../pieces/fields.js';
import { icon } from '../../pieces/icons.js';
import { siteName } from '../../pieces/site.js';
import type { PanelProperties } from '../context.js';
import { Form } from '../form.js';
import { GuardedButton } from '../guarded.js';
import { useTask } from '../hooks.js';

/** The networks of this page, and those that were added. */
export function Networks({ panel }: PanelProperties): Content {
  const { words, wallet, network: active } = panel;
  const task = useTask(words);
  const added = new Set((wallet.state().networks ?? []).map(({ chainId }) => chainId));
  return (
    <>
      <ul class="cards">
        {wallet.networks().map((network) => {
          const { chainId, name, urls, addedBy } = network;
          const isActive = chainId === active.chainId;
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
              </span>
              {isActive ? (
                <span class="chip" data-state="good">
                  {words.active}
                </span>
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
      <p class="error" role="alert">
        {task.error}
      </p>
      <div class="actions">{button(words.addNetwork, () => panel.go({ view: 'add-network' }))}</div>
    </>
  );
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
  const [url, chain, name, symbol] = useMemo(
    () => [
      createRef<HTMLInputElement>(),
      createRef<HTMLInputElement>(),
      createRef<HTMLInputElement>(),
      createRef<HTMLInputElement>(),
    ],
    [],
  ) as [Field, Field, Field, Field];
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
      {textField('url', words.networkUrl, url, { note: words.networkUrlNote, placeholder: 'https://' })}
      {textField('chain', words.networkChain, chain)}
      {textField('network-name', words.networkName, name)}
      {textField('symbol', words.networkSymbol, symbol)}
    </Form>
  );
}

type Field = ReturnType<typeof createRef<HTMLInputElement>>;
