import { callOfKeyRotation, type KeyRotation, type ProjectKey } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { FormDialog } from '../../components/form-dialog.tsx';
import { KeyRotationForm } from '../../components/key-rotation-form.tsx';
import { daysFromNow, projectKeyLifetimes } from '../../lib/key-lifetimes.ts';

type Rotate = (keyId: string, input: KeyRotation) => Promise<void>;
type Props = { rotated: ProjectKey | null; onClose: () => void; rotate: Rotate };

/** Replaces a key set by a new one. */
export function RotateKeyDialog({ rotated, onClose, rotate }: Props) {
  return (
    <FormDialog opened={rotated !== null} onClose={onClose} title={t`Rotate key`}>
      {rotated && (
        <KeyRotationForm
          submitLabel={t`Rotate key`}
          oldLabel={t`Old keys stop working`}
          newLabel={t`New keys expire after`}
          lifetimes={projectKeyLifetimes}
          expiryOf={(days, now) => daysFromNow(Number(days), now)}
          callOf={(rotation) => callOfKeyRotation(rotated.id, rotation)}
          rotate={(rotation) => rotate(rotated.id, rotation)}
          onDone={onClose}
          onClose={onClose}
        >
          <Text size="sm">
            <Trans>
              You get new keys of the same kinds as “{rotated.description || t`Unnamed key`}”. Replace them in your apps
              and servers before the old ones stop working.
            </Trans>
          </Text>
        </KeyRotationForm>
      )}
    </FormDialog>
  );
}
