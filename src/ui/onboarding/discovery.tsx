import { useEffect, useState } from 'preact/hooks';
import type { OwnerAccount } from '../../approvals/owner.js';
import { type Content, Fragment, fill, h } from '../h.js';
import type { Stage, Step } from './stage.js';

/** Looks for the accounts of a phrase that have been used, and ends the flow when it has. The person may skip it. */
export function discoveryStep(stage: Stage, existing: readonly OwnerAccount[]): Step {
  const { words } = stage;
  const stop = new AbortController();
  let isOver = false;
  const end = (accounts: readonly OwnerAccount[]): void => {
    if (isOver) return;
    isOver = true;
    stop.abort();
    stage.done(accounts);
  };
  return {
    title: words.discoveryTitle,
    lead: words.discoveryLead,
    subject: [<Discovery stage={stage} existing={existing} signal={stop.signal} end={end} />],
    confirm: words.discoverySkip,
    only: true,
    submit: () => end(existing),
  };
}

/** The progress of the search, which starts when it is shown. */
function Discovery({ stage, existing, signal, end }: Properties): Content {
  const { owner, words } = stage;
  const [progress, report] = useState<readonly [done: number, of: number]>([0, 1]);
  useEffect(() => {
    owner
      .discover({ onProgress: (done, of) => signal.aborted || report([done, of]), signal })
      .then((accounts) => end(accounts.length > 0 ? accounts : existing))
      // The network may be out of reach. The first account is there all the same.
      .catch(() => end(existing));
  }, []);
  const [done, of] = progress;
  return (
    <>
      <progress value={done} max={of} aria-label={words.discoveryTitle} />
      <p role="status">{fill(words.discoveryProgress, { done, of })}</p>
    </>
  );
}

interface Properties {
  readonly stage: Stage;
  readonly existing: readonly OwnerAccount[];
  readonly signal: AbortSignal;
  readonly end: (accounts: readonly OwnerAccount[]) => void;
}
