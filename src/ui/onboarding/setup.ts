import type { Stage } from './stage.js';

/** A flow that sets up a wallet. */
export interface Setup {
  readonly stage: Stage;
  /** The site that needs a wallet; `null` in the panel. */
  readonly site: string | null;
  /** There was a wallet, which is lost or damaged. */
  readonly replaceMissing: boolean;
  /** The wallet that is here gives way to this one, after a confirmation. */
  readonly replace: boolean;
  /** The wallet is open: what is imported joins it, and needs no password. */
  readonly isOpen?: true;
}

/** Asks the browser not to delete the data. The panel shows what it answered. */
export const keepData = ({ owner }: Stage): void => void owner.persist().catch(() => {});
