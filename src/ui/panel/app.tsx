import type { FunctionComponent, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Keyring } from '../../keyring/keyring.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { readable } from '../../rpc/text.js';
import type { Obstacle } from '../dialog/sheet.js';
import { isPageVisible } from '../elements.js';
import { type Content, Fragment, h } from '../h.js';
import { badge } from '../pieces/badge.js';
import { button } from '../pieces/fields.js';
import { icon } from '../pieces/icons.js';
import { errorLine, statusLine } from '../pieces/lines.js';
import type { Preferences } from '../preferences.js';
import type { PanelWords } from '../words/words.js';
import type { Panel, PanelProperties, PanelView, Place } from './context.js';
import { useObstacle } from './guarded.js';
import { listedAccounts } from './hooks.js';
import { later, perNetwork } from './later.js';
import { Flow } from './views/flow.js';
import { Home } from './views/home.js';
import { Unlock } from './views/unlock.js';
import { UnprovenVault } from './views/unproven.js';
import type { PanelWallet } from './wallet.js';

/** Milliseconds after which balances and states are read again while the panel is visible. */
const refreshInterval = 30_000;

/** The panel: its header, the view that is shown, and the navigation. */
export function App({ wallet, words, start, preferences, prefer, close }: Properties): Content {
  const [places, setPlaces] = useState<readonly Place[]>([{ view: start }]);
  const [selected, select] = useState<Address | null>(null);
  const [vault, setVault] = useState<Keyring.State | 'unreadable' | null>(null);
  const [version, setVersion] = useState(0);
  const heading = useRef<HTMLElement>(null);

  useEffect(() => {
    const refresh = () => {
      wallet.vaultState().then(
        (state) => {
          setVault(state);
          setVersion((count) => count + 1);
        },
        () => setVault((before) => before ?? 'unreadable'),
      );
    };
    refresh();
    const unwatch = wallet.watch(refresh);
    const timer = setInterval(() => isPageVisible() && setVersion((count) => count + 1), refreshInterval);
    return () => {
      unwatch();
      clearInterval(timer);
    };
  }, [wallet]);

  const hasWallet = vault === 'locked' || vault === 'unlocked';
  const place = places.at(-1) as Place;
  // Once begun, it stays in place until its last step, although there is a wallet before that.
  useEffect(() => {
    if ((vault === 'empty' || vault === 'missing') && place.view !== 'setup') setPlaces([{ view: 'setup' }]);
  }, [vault, place.view]);
  const isKnown = vault !== null && (hasWallet || place.view === 'setup');
  const placeKey = JSON.stringify(place);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // A panel that stays on the page must not take the focus when it appears.
    if (!isFirst.current || close) heading.current?.focus();
    if (vault !== null) isFirst.current = false;
  }, [placeKey, vault === null]);

  useFocusGuard(heading);
  const obstacle = useObstacle();

  const accounts = listedAccounts(wallet.state()).filter(({ hidden }) => !hidden);
  const network = wallet.network();
  const { currency } = network;
  const context: Panel = {
    wallet,
    words,
    vault: vault === null || vault === 'unreadable' ? 'locked' : vault,
    accounts,
    account: accounts.find(({ address }) => address === selected) ?? accounts[0],
    network: {
      ...network,
      name: readable(network.name),
      currency: { ...currency, symbol: readable(currency.symbol) },
    },
    version,
    preferences,
    select,
    go: (next) => setPlaces((before) => [...before, next]),
    back: () => setPlaces((before) => (before.length > 1 ? before.slice(0, -1) : [{ view: 'home' }])),
    restart: (view) => setPlaces([{ view }]),
    prefer,
  };
  const isSettled = hasWallet && place.view !== 'setup';
  const isRoot = roots.some(({ view }) => view === place.view) && places.length === 1;
  const View = views[place.view][0] as FunctionComponent<PanelProperties & Place>;
  return (
    <>
      <header class="bar" key="bar">
        {isSettled &&
          !isRoot &&
          button(arrow(), context.back, { class: 'icon-button', 'aria-label': words.back })}
        <h2 tabindex="-1" ref={heading as RefObject<HTMLElement>}>
          {titleOf(place, words)}
        </h2>
        {isSettled &&
          isRoot &&
          button(badge(context.network, words), () => context.go({ view: 'networks' }), {
            class: 'plain',
            'aria-label': `${words.networks}: ${context.network.name}`,
          })}
        {close &&
          button(icon('icon', 'M5 5 15 15M15 5 5 15'), close, {
            class: 'icon-button',
            'aria-label': words.close,
          })}
      </header>
      <div class="view" key={placeKey}>
        {vault === 'unreadable' ? (
          errorLine(words.notOpened)
        ) : isKnown ? (
          <View panel={context} {...place} />
        ) : (
          statusLine(words.loading)
        )}
      </div>
      {obstacle && (
        <p class="error notice" role="status" key="obstacle">
          {obstacleText(obstacle, words)}
        </p>
      )}
      {isSettled && (
        <nav class="tabs" aria-label={words.panel} key="tabs">
          {roots.map(({ view, paths }) =>
            button(
              <>
                {icon('icon', ...paths)}
                <span>{words[view]}</span>
              </>,
              () => context.restart(view),
              { class: 'tab', 'aria-current': place.view === view ? 'page' : undefined },
            ),
          )}
        </nav>
      )}
    </>
  );
}

interface Properties {
  readonly wallet: PanelWallet;
  readonly words: PanelWords;
  readonly start: PanelView;
  readonly preferences: Preferences;
  readonly prefer: (preferences: Preferences) => void;
  /** Closes the window that the panel is in; absent for a panel that stays on the page. */
  readonly close?: (() => void) | undefined;
}

/** When the focused element goes, its successor is the heading, and not the page behind the panel. */
function useFocusGuard(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = heading.current?.parentElement?.parentElement;
    if (!root) return;
    let last: Node | null = null;
    const onFocusIn = (event: Event) => {
      last = event.target as Node;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected) return;
      last = null;
      heading.current?.focus();
    });
    root.addEventListener('focusin', onFocusIn);
    observer.observe(root, own({ childList: true, subtree: true }));
    return () => {
      root.removeEventListener('focusin', onFocusIn);
      observer.disconnect();
    };
  }, []);
}

/** The views of the navigation. */
const roots = [
  { view: 'home', paths: ['M3.5 9.5 10 4l6.5 5.5', 'M5.5 8.5V16h9V8.5'] },
  { view: 'activity', paths: ['M4 6h12M4 10h12M4 14h7'] },
  { view: 'accounts', paths: ['M10 10a3 3 0 1 0 0-6a3 3 0 0 0 0 6z', 'M4 16.5a6 6 0 0 1 12 0'] },
  {
    view: 'sites',
    paths: ['M10 3a7 7 0 1 0 0 14a7 7 0 0 0 0-14z', 'M3 10h14M10 3c4 4 4 10 0 14c-4-4-4-10 0-14'],
  },
  { view: 'settings', paths: ['M3 6h8m4 0h2M3 14h2m4 0h8', 'M13 4v4M7 12v4'] },
] as const;

const arrow = () => icon('icon flips', 'M12 4 6 10 12 16');

/** Each view, and the name of the text that is its title. All but what the panel opens with loads when it is shown. */
const views: {
  readonly [View in Place['view']]: readonly [
    component: (properties: PanelProperties & Place & { readonly view: View }) => Content,
    title: Title,
  ];
} = {
  home: [Home, 'home'],
  send: [later(async () => (await import('./views/send.js')).Send), 'send'],
  receive: [later(async () => (await import('./views/receive.js')).ReceiveView), 'receive'],
  activity: [perNetwork(async () => (await import('./views/activity.js')).Activity), 'activity'],
  transaction: [
    later(async () => (await import('./views/transaction.js')).TransactionDetails),
    'transaction',
  ],
  received: [
    perNetwork(async () => (await import('./views/received.js')).ReceivedDetails),
    'receivedPayment',
  ],
  accounts: [later(async () => (await import('./views/accounts.js')).Accounts), 'accounts'],
  contacts: [perNetwork(async () => (await import('./views/contacts.js')).ContactBook), 'contacts'],
  contact: [perNetwork(async () => (await import('./views/contacts.js')).ContactDetails), 'contact'],
  'new-contact': [perNetwork(async () => (await import('./views/contacts.js')).NewContact), 'addContact'],
  account: [later(async () => (await import('./views/account.js')).Account), 'account'],
  allowances: [perNetwork(async () => (await import('./views/allowances.js')).AllowanceList), 'allowances'],
  bitcoin: [perNetwork(async () => (await import('./views/bitcoin.js')).Bitcoin), 'bitcoin'],
  'peg-out': [perNetwork(async () => (await import('./views/peg-out.js')).PegOutForm), 'pegOut'],
  export: [later(async () => (await import('./views/account.js')).Export), 'privateKey'],
  sites: [later(async () => (await import('./views/sites.js')).Sites), 'sites'],
  networks: [later(async () => (await import('./views/networks.js')).Networks), 'networks'],
  'add-network': [later(async () => (await import('./views/networks.js')).AddNetwork), 'addNetwork'],
  settings: [later(async () => (await import('./views/settings.js')).Settings), 'settings'],
  backup: [later(async () => (await import('./views/backup.js')).BackupPhrase), 'backupPhrase'],
  'backup-file': [later(async () => (await import('./views/backup.js')).BackupFile), 'backupFile'],
  password: [later(async () => (await import('./views/password.js')).Password), 'changePassword'],
  passkeys: [later(async () => (await import('./views/passkeys.js')).Passkeys), 'passkeys'],
  unlock: [Unlock, 'unlockTitlePanel'],
  unproven: [UnprovenVault, 'unlockTitlePanel'],
  setup: [Flow, 'panel'],
  import: [Flow, 'importAnother'],
  recovery: [Flow, 'panel'],
  erase: [Flow, 'panel'],
};

/** Names of texts that are one string. */
type Title = { [Name in keyof PanelWords]: PanelWords[Name] extends string ? Name : never }[keyof PanelWords];

const obstacleText = (obstacle: Obstacle, words: PanelWords): string =>
  ({ display: words.misshown, covered: words.covered, size: words.tooSmall })[obstacle];

function titleOf(place: Place, words: PanelWords): string {
  if (place.view === 'export')
    return { key: words.privateKey, keystore: words.importKinds.keystore[0], wif: words.wif }[place.kind];
  if (place.view === 'new-contact' && place.watch) return words.watchAnother;
  return words[views[place.view][1]];
}
