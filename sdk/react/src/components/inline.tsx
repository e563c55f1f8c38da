import { type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { useLanguageAttributes } from '../texts/use-texts.ts';

/** A component inside the text or the header of a page; `skeleton` stands for it while it loads, and on servers. */
export function Inline({ skeleton, children }: { skeleton?: ReactNode; children: ReactNode }) {
  const isInBrowser = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  // Hooks throw on servers, and some frameworks answer a page with status 500 even if `Suspense` handles an error.
  const content = isInBrowser ? <Suspense fallback={skeleton}>{children}</Suspense> : skeleton;
  return (
    <div className="gbh gbh-inline" {...useLanguageAttributes()}>
      {content}
    </div>
  );
}
