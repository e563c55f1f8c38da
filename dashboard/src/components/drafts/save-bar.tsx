import { useState } from 'react';
import { late, useLate } from '../../lib/late.ts';
import { useUnsaved } from '../../lib/unsaved.ts';
import type { SaveBarProps } from './opened-save-bar.tsx';

const code = late(async () => (await import('./opened-save-bar.tsx')).OpenedSaveBar);

/** What would be saved, with the button that saves it. Nothing while nothing is edited. */
export function SaveBar<Values extends object>(props: SaveBarProps<Values>) {
  const { changes } = props.draft;
  const isEdited = Object.keys(changes).length > 0;
  useUnsaved(isEdited);
  /** The next edit tries again to load the bar. */
  const [failedAt, setFailedAt] = useState<string | null>(null);
  const edits = JSON.stringify(changes);
  const Bar = useLate(code, isEdited && failedAt !== edits, () => setFailedAt(edits));
  return isEdited && Bar ? <Bar {...props} /> : null;
}
