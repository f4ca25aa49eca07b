import { type Content, h } from '../h.js';
import { chevron } from './icons.js';

/** A section that is collapsed at first, expanded without script (`<details>`). */
export const disclosure = (summary: Content, ...content: readonly Content[]): Content =>
  details(false, summary, content);

/** The same, expanded at first. */
export const opened = (summary: Content, ...content: readonly Content[]): Content =>
  details(true, summary, content);

const details = (open: boolean, summary: Content, content: readonly Content[]): Content => (
  <details open={open}>
    <summary>
      {summary}
      {chevron()}
    </summary>
    <div>{content}</div>
  </details>
);

/** Preformatted text in a box. It is focusable, so that the keyboard can scroll it where it is collapsed at first. */
export const box = (label: string, text: string, kind: 'prose' | 'code'): Content => (
  <div class={`box ${kind}`} tabindex="0" role="group" aria-label={label} dir="auto">
    {text}
  </div>
);
