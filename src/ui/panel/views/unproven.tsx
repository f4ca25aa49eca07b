import type { Unproven } from '../../../approvals/owner.js';
import type { Address } from '../../../rpc/schema.js';
import { type Content, h } from '../../h.js';
import type { PanelProperties } from '../context.js';
import { StageView } from './flow.js';

/** Asks whether a vault that cannot be checked is the person's, then goes back. */
export function UnprovenVault({ panel, found, unlock }: UnprovenVault.Properties): Content {
  return (
    <StageView
      panel={panel}
      start={async (stage) => {
        const { startUnproven } = await import('../../onboarding/unproven.js');
        startUnproven(stage, found, unlock);
      }}
      over={(outcome) => (outcome === 'done' ? panel.restart('home') : panel.back())}
    />
  );
}

export declare namespace UnprovenVault {
  interface Properties extends PanelProperties {
    readonly found: Unproven;
    readonly unlock: (accepted: readonly Address[]) => Promise<void>;
  }
}
