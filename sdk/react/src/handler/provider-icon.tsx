import { lazy, Suspense } from 'react';

/** Loaded by pages that show some; a page does without them rather than fail. */
const Mark = lazy(() =>
  import('./provider-marks.tsx').then(
    ({ ProviderMark }) => ({ default: ProviderMark }),
    () => ({ default: () => null }),
  ),
);

export function ProviderIcon({ id }: { id: string }) {
  return (
    <span className="gbh-mark-place" aria-hidden="true">
      <Suspense fallback={null}>
        <Mark id={id} />
      </Suspense>
    </span>
  );
}
