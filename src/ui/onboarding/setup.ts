import type { Stage } from './stage.js';

/** A flow that sets up a wallet. */
export interface Setup {
  readonly stage: Stage;
  /** The site that needs a wallet; `null` in the panel. */
  readonly site: string | null;
  /** There was a wallet, which is lost or damaged. */
  readonly replaceMissing: boolean;
  /** Whether to replace the existing wallet, after a confirmation. */
  readonly replace: boolean;
  /** The wallet is unlocked: imported accounts are added to it, without a password. */
  readonly isOpen?: boolean | undefined;
}

/** Asks the browser not to delete the data. The panel shows what it answered. */
export const keepData = ({ owner }: Stage): void => void owner.persist().catch(() => {});
