import { type ReactNode, Suspense } from 'react';

/** Has React hydrate the page after the layout, whose effects have begun to reconnect by then. */
export default function Template({ children }: { children: ReactNode }) {
  return <Suspense>{children}</Suspense>;
}
