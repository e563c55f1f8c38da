import { callOfSecretRotation } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';

const HOUR_MS = 3_600_000;
const overlaps = [
  { value: String(24 * HOUR_MS), label: t`24 hours` },
  { value: String(HOUR_MS), label: t`1 hour` },
  { value: String(7 * 24 * HOUR_MS), label: t`7 days` },
  { value: '0', label: t`Not at all` },
];

type Props = {
  isOpen: boolean;
  endpointId: string;
  onClose: () => void;
  rotate: (overlapInMillis: number) => Promise<void>;
};

export function RotateSecretDialog({ isOpen, ...form }: Props) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={t`Rotate the signing secret`}>
      <RotateForm {...form} />
    </Modal>
  );
}

function RotateForm({ endpointId, onClose, rotate }: Omit<Props, 'isOpen'>) {
  const [overlap, setOverlap] = useState(overlaps[0]?.value ?? '0');
  const action = useAction(() => rotate(Number(overlap)));
  return (
    <DialogForm action={action} submitLabel={t`Rotate secret`} onDone={onClose} onClose={onClose}>
      <Text size="sm">
        <Trans>
          A new secret is created. For a while, deliveries are signed with both, so that you can change the secret of
          your server without losing one.
        </Trans>
      </Text>
      <NativeSelect
        label={t`Keep signing with the current secret for`}
        data={overlaps}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        {...(overlap === '0' && {
          description: t`Your server rejects deliveries until it has the new secret. They are tried again.`,
        })}
      />
      <PreviewNote call={callOfSecretRotation(endpointId, Number(overlap))} />
    </DialogForm>
  );
}
