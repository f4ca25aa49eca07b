import type { Unproven } from '../../approvals/owner.js';
import type { Keyring } from '../../keyring/keyring.js';
import type { ListedPayment } from '../../received/received.js';
import type { Address, Hash } from '../../rpc/schema.js';
import type { Network } from '../../service/networks.js';
import type { Look, Preferences } from '../preferences.js';
import type { PanelWords } from '../words/words.js';
import type { PanelAccount, PanelWallet } from './wallet.js';

/** The views that a page may open the panel at. */
export const panelViews = [
  'home',
  'send',
  'receive',
  'activity',
  'accounts',
  'contacts',
  'sites',
  'networks',
  'settings',
] as const;

/** The views of the panel; other names are refused with -32602. */
export type PanelView = (typeof panelViews)[number];

/** How the panel looks, and where it begins. */
export interface PanelOptions extends Look {
  /** The initial view. Default `home`. */
  readonly view?: PanelView | undefined;
}

/** A place in the panel: one of its views, or a place that a view leads to. */
export type Place =
  | { readonly view: PanelView | 'unlock' | 'setup' | 'import' | 'recovery' | 'erase' }
  | { readonly view: 'backup' | 'backup-file' | 'password' | 'passkeys' | 'add-network' }
  | { readonly view: 'send'; readonly to: Address }
  | NewContactPlace
  | { readonly view: 'contact'; readonly address: Address }
  | { readonly view: 'transaction'; readonly hash: Hash }
  | { readonly view: 'received'; readonly payment: ListedPayment; readonly chainId: number }
  | UnprovenPlace
  | { readonly view: 'account' | 'allowances' | 'bitcoin' | 'peg-out'; readonly address: Address }
  | { readonly view: 'export'; readonly address: Address; readonly kind: Exported };

/** The form in which an account's key is exported: itself, a keystore file, or a key for Bitcoin wallets. */
export type Exported = 'key' | 'keystore' | 'wif';

/** A form for an address and its name. */
export interface NewContactPlace {
  readonly view: 'new-contact';
  /** The address that the form begins with. */
  readonly address?: Address | undefined;
  /** Whether the account is listed among the accounts, to look at. */
  readonly watch?: boolean | undefined;
}

/** Where a person is asked whether a vault is theirs, and it is unlocked then. */
export interface UnprovenPlace {
  readonly view: 'unproven';
  readonly found: Unproven;
  readonly unlock: (accepted: readonly Address[]) => Promise<void>;
}

/** The state and functions that every view of the panel gets; a new object after each change. */
export interface Panel {
  readonly wallet: PanelWallet;
  readonly words: PanelWords;
  readonly vault: Keyring.State;
  /** The accounts that are not hidden, then those that the person only looks at. */
  readonly accounts: readonly PanelAccount[];
  /** The account that is shown; absent where there is no account. */
  readonly account: PanelAccount | undefined;
  readonly network: Network;
  /** A new number after each change of the wallet, and from time to time: views then reload their data. */
  readonly version: number;
  readonly preferences: Preferences;
  select(address: Address): void;
  go(place: Place): void;
  /** Goes to the previous view, else to the home. */
  back(): void;
  /** Goes to a view and forgets the previous ones. */
  restart(view: PanelView): void;
  prefer(preferences: Preferences): void;
}

export interface PanelProperties {
  readonly panel: Panel;
}
