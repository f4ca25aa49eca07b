import { useEffect, useRef, useState } from 'preact/hooks';
import { type Content, Fragment, h } from '../h.js';
import { button } from '../pieces/fields.js';
import { icon } from '../pieces/icons.js';
import type { StepWords } from '../words/words.js';

/** Milliseconds for which the button confirms the copy. */
const shownFor = 1_500;

/** A button that copies a text and confirms it. */
export function CopyButton({ text, label, words, plain }: Properties): Content {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission the text can still be selected.
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), shownFor);
  };
  return (
    <>
      {plain
        ? button(isCopied ? words.copied : label, () => void copy())
        : button(
            icon('icon', ...(isCopied ? ['M4.5 10.5 8.5 14.5 15.5 6'] : ['M7 7h9v9H7z', 'M13 7V4H4v9h3'])),
            () => void copy(),
            { class: 'icon-button', 'aria-label': label },
          )}
      <span class="unseen" role="status">
        {isCopied && words.copied}
      </span>
    </>
  );
}

interface Properties {
  readonly text: string;
  readonly label: string;
  readonly words: StepWords;
  /** The label is shown, in place of a picture. */
  readonly plain?: boolean | undefined;
}
