import { type Content, h } from '../../h.js';
import type { PanelProperties, UnprovenPlace } from '../context.js';
import { StageView } from './flow.js';

/** Asks whether a vault that cannot be checked is the person's, then goes back. */
export function UnprovenVault({ panel, found, unlock }: PanelProperties & UnprovenPlace): Content {
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
