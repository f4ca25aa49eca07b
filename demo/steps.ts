import { make, section } from './dom.js';

/** Marks a step of the introduction as done, visibly and for screen readers. */
export function step(id: string, isDone: boolean): void {
  const item = section(id);
  if (item.hasAttribute('data-done') === isDone) return;
  item.toggleAttribute('data-done', isDone);
  item.querySelector('.unseen')?.remove();
  if (isDone) item.append(make('span', { class: 'unseen' }, ' (done)'));
}
