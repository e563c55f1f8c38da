import { callOfKeyRotation, type KeyRotation, type ProjectKey } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { daysFromNow, projectKeyLifetimes } from '../../lib/key-lifetimes.ts';

/** For how many days both sets work. */
const overlaps = [
  { value: '0', label: t`Immediately` },
  { value: '1', label: t`After a day` },
  { value: '7', label: t`After a week` },
  { value: '30', label: t`After 30 days` },
];

type Rotate = (keyId: string, input: KeyRotation) => Promise<void>;
type Props = { rotated: ProjectKey | null; onClose: () => void; rotate: Rotate };

/** Replaces a key set by a new one, while both work for a time. */
export function RotateKeyDialog({ rotated, onClose, rotate }: Props) {
  return (
    <FormDialog opened={rotated !== null} onClose={onClose} title={t`Rotate key`}>
      {rotated && <RotateForm rotated={rotated} onClose={onClose} rotate={rotate} />}
    </FormDialog>
  );
}

function RotateForm({ rotated: { id, description }, onClose, rotate }: Props & { rotated: ProjectKey }) {
  const [days, setDays] = useState('365');
  const [overlap, setOverlap] = useState('7');
  const [openedAt] = useState(() => new Date());
  const rotation = {
    expiresAt: daysFromNow(Number(days), openedAt),
    oldExpiresAt: daysFromNow(Number(overlap), openedAt),
  };
  const action = useAction(() => rotate(id, rotation));
  return (
    <DialogForm action={action} submitLabel={t`Rotate key`} onDone={onClose} onClose={onClose}>
      <Text size="sm">
        <Trans>
          You get new keys of the same kinds as “{description || t`Unnamed key`}”. Replace them in your apps and servers
          before the old ones stop working.
        </Trans>
      </Text>
      <NativeSelect
        label={t`Old keys stop working`}
        data={overlaps}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
      />
      <NativeSelect
        label={t`New keys expire after`}
        data={projectKeyLifetimes}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      <PreviewNote call={callOfKeyRotation(id, rotation)} />
    </DialogForm>
  );
}
