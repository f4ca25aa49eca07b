/**
 * In a page with a wallet: calls `window.asked` with the kind of each dialog that is shown to a person, for a test that
 * is the person.
 */
export function reportQuestions(): void {
  const { asked } = window as unknown as { asked(kind: string | null): void };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof Element && node.matches('[data-graft]:not([data-graft=result])'))
          asked(node.getAttribute('data-graft'));
  }).observe(document.body, { childList: true });
}
