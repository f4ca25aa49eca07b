import type { Answer, Question } from '../../../../src/approvals/question.js';
import type { Announcement } from '../../../../src/provider/announce.js';
import type { Hash, Hex } from '../../../../src/rpc/schema.js';
import type { NetworkOptions } from '../../../../src/service/networks.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import type { GrantRequest } from './grant.js';

/** The protocol between a test and the wallet that it puts into a page, for every browser driver. */

/** How the wallet of a page is set up. Plain data: it is written into the script of the page. */
export interface PageSettings {
  /** At least one; the first is active. */
  readonly networks: readonly NetworkOptions[];
  /** A BIP-39 mnemonic, and how many of its accounts the wallet has; or private keys. */
  readonly accounts:
    | { readonly mnemonic: string; readonly count: number }
    | { readonly privateKeys: readonly Hex[] };
  /** Password of the wallet, at least 8 characters. */
  readonly password: string;
  /** Whether questions are shown in the wallet's own dialog, whose shadow root is then open. */
  readonly dialog: boolean;
  /** The origin of the wallet's site, for a dapp that uses `connectBridge`: only its documents get the wallet. */
  readonly bridge?: string | undefined;
  readonly announcement: Announcement;
  /** Milliseconds. */
  readonly pollingInterval: number;
}

/** From the page to the test, by the function {@link channelName} of the page. */
export type PageMessage =
  /** The reply is the answer; with a dialog, that there is one in it. `id` is unique among all pages. */
  | { readonly type: 'ask'; readonly id: string; readonly question: Question }
  /** The page has withdrawn the question `id`: no answer is needed. */
  | { readonly type: 'withdraw'; readonly id: string }
  /** The button "Continue in the wallet" of a bridge is there, which opens the wallet's window. */
  | { readonly type: 'continue' }
  /** The wallet could not be set up. */
  | { readonly type: 'failed'; readonly message: string }
  /** A page has loaded the wallet. Sent once for each load, before all else. */
  | { readonly type: 'loaded' }
  /**
   * The page has requested something of the wallet, or such a request has ended, with `code` for an error. Sent if it
   * differs from the last message about this method. The method is `unknown` for one that the wallet does not know.
   */
  | { readonly type: 'requested'; readonly method: string; readonly code?: number };

/** The page's function `(message: PageMessage) => Promise<Answer | undefined>`, which the driver of the browser adds. */
export const channelName = 'graftTestChannel';

export type SendMessage = (message: PageMessage) => Promise<Answer | undefined>;

/** The handle for the test of every document that has a wallet, the global {@link handleName}. */
export interface DocumentHandle {
  /** Resolves when the requests of this document that are under way have been answered. */
  settled(): Promise<unknown>;
}

/** The handle of a page, which has one wallet. */
export interface PageHandle extends DocumentHandle {
  readonly wallet: Wallet;
  /** Has the site request a permission, and approves it without the test and without the dialog. Resolves with its context. */
  grant(request: GrantRequest): Promise<Hash>;
  /** Resolves when the wallet has its accounts. */
  readonly ready: Promise<void>;
}

export const handleName = 'graftTest';
