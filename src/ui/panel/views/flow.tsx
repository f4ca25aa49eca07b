import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { own } from '../../../rpc/own.js';
import { type Content, h } from '../../h.js';
import type { FlowOutcome, Stage, Step } from '../../onboarding/stage.js';
import { textsOfSteps, wordsForError } from '../../pieces/errors.js';
import { button } from '../../pieces/fields.js';
import { errorLine } from '../../pieces/lines.js';
import type { PanelProperties } from '../context.js';
import { useGuard } from '../guarded.js';
import { unlocked } from './unlock.js';

type FlowName = 'setup' | 'import' | 'recovery' | 'erase';

/** A flow of several steps in the panel: to set up a wallet, to import, to recover, to erase. */
export function Flow({ panel, view }: PanelProperties & { readonly view: FlowName }): Content {
  const start = async (stage: Stage): Promise<void> => {
    const setup = { stage, site: null, replaceMissing: panel.vault === 'missing', replace: false };
    if (view === 'setup') return (await import('../../onboarding/onboarding.js')).startSetup(setup);
    if (view === 'import') {
      const { importStep } = await import('../../onboarding/import.js');
      return stage.show(importStep({ ...setup, isOpen: true }, panel.back));
    }
    const { startRecovery, eraseStep } = await import('../../onboarding/recovery.js');
    return view === 'recovery' ? startRecovery(stage) : stage.show(eraseStep(stage, panel.back));
  };
  const over = (outcome: FlowOutcome): void => {
    if (outcome === 'cancelled') panel.back();
    else panel.restart(view === 'import' ? 'accounts' : 'home');
  };
  const stage = () => <StageView panel={panel} start={start} over={over} />;
  return view === 'import' ? unlocked(panel, stage) : stage();
}

/** Shows the steps of a flow, one in place of the other. */
export function StageView({ panel, start, over }: Properties): Content {
  const { words, wallet } = panel;
  const [step, show] = useState<Step | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const current = useRef<Step | null>(null);
  current.current = step;
  const heading = useRef<HTMLElement>(null);
  const view = useRef<HTMLElement>(null);
  const isSevere = step?.isSevere ?? false;
  const act = () => void submit();
  const { button: confirm, onKeyDown } = useGuard({ act, isSevere, isBusy, content: step, moved: error });

  useEffect(() => {
    const ended = new AbortController();
    start({
      owner: wallet,
      words,
      signal: ended.signal,
      show: (next) => show(own(next)),
      done: () => over('done'),
      erased: () => over('erased'),
      cancel: () => over('cancelled'),
    }).catch(() => setError(words.notLoaded));
    return () => ended.abort();
  }, []);

  useEffect(() => {
    if (step?.isFirst && (panel.vault === 'locked' || panel.vault === 'unlocked')) over('done');
  }, [step, panel.vault]);

  useLayoutEffect(() => setError(null), [step]);

  const focused = useRef<Step | null>(null);
  useLayoutEffect(() => {
    // A step cannot take the focus while it is inert.
    if (isBusy || focused.current === step) return;
    focused.current = step;
    const field = view.current?.querySelector<HTMLElement>('input:not([type=file]), textarea');
    (field ?? heading.current)?.focus();
  }, [step, isBusy]);

  const submit = async (): Promise<void> => {
    if (!step || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await step.submit();
    } catch (thrown) {
      const text = wordsForError(thrown, textsOfSteps(words), words.failed);
      if (current.current === step) setError(text);
    } finally {
      setBusy(false);
    }
  };

  if (!step) return errorLine(error);
  return (
    <div
      class="form"
      ref={view}
      data-severe={isSevere}
      data-busy={isBusy}
      onKeyDown={onKeyDown}
      onInput={() => setError(null)}
    >
      <h3 tabindex="-1" ref={heading} class="title">
        {step.title}
      </h3>
      <p class="soft">{step.lead}</p>
      <div class="form" inert={isBusy} key={String(step.title)}>
        {step.subject}
      </div>
      {errorLine(error)}
      <p class="unseen" role="status">
        {isBusy && (step.busy ?? words.working)}
      </p>
      <div
        // Follows the content, so that a person has scrolled past it before pressing.
        class="actions"
      >
        {!step.only &&
          button(step.other?.label ?? words.cancel, step.other?.act ?? (() => over('cancelled')), {
            key: 'other',
          })}
        <button type="button" class="confirm" ref={confirm} key="confirm">
          {step.confirm}
        </button>
      </div>
    </div>
  );
}

interface Properties extends PanelProperties {
  /** Loads what the steps need. */
  readonly start: (stage: Stage) => Promise<void>;
  readonly over: (outcome: FlowOutcome) => void;
}
