import type { ChangesClient } from '@gatebook/js/admin';
import { type ReactNode, useContext, useMemo } from 'react';
import { ChangesContext } from '../../lib/changes.ts';
import { type ShownPreview, ShowPreviewContext } from '../../lib/shown-previews.ts';

/** Previews of what the owner writes as a client of `internal`. `show` is the same at every rendering. */
export type OwnPreviews = Pick<ChangesClient, 'preview'> & { show: (preview: ShownPreview) => () => void };

/** Previews within are those of the owner’s own writes, not of writes as an admin of the project. */
export function OwnerPreviews({ preview, show, children }: OwnPreviews & { children: ReactNode }) {
  const changes = useContext(ChangesContext);
  const own = useMemo(() => changes && { ...changes, preview }, [changes, preview]);
  return (
    <ChangesContext value={own}>
      <ShowPreviewContext value={show}>{children}</ShowPreviewContext>
    </ChangesContext>
  );
}
