import type { NewProjectKey } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Modal } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { keyKinds } from './key-kinds.ts';

type Props = { created: NewProjectKey | null; projectId: string; apiUrl: string; onClose: () => void };

/** Shows the keys once. Clicking outside the dialog does not close it. */
export function NewKeyDialog({ created, projectId, apiUrl, onClose }: Props) {
  return (
    <Modal opened={created !== null} onClose={onClose} title={t`Save your key`} closeOnClickOutside={false} size="lg">
      {created && (
        <ShownOnce note={t`Copy these values now. You won’t be able to see the keys again.`} onClose={onClose}>
          {keyKinds.flatMap(({ kind, name }) => {
            const text = created.texts[kind];
            return text === null ? [] : <CopyField key={kind} label={name} value={text} />;
          })}
          <CopyField label={t`Project ID`} value={projectId} />
          <CopyField label={t`API URL`} value={apiUrl} />
        </ShownOnce>
      )}
    </Modal>
  );
}
