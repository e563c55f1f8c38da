import { lazy, Suspense } from 'react';

/** Loaded on demand. If loading fails, the page works without icons. */
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
