import { type ReactNode, Suspense } from 'react';

/** A component inside the text or the header of a page; `skeleton` stands for it while it loads. */
export function Inline({ skeleton, children }: { skeleton?: ReactNode; children: ReactNode }) {
  return (
    <div className="gbh gbh-inline">
      <Suspense fallback={skeleton}>{children}</Suspense>
    </div>
  );
}
