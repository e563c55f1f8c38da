import { type ApiKey, type ApiKeyOwner, type ApiKeyRotation, callOfApiKeyRotation } from '@gatebook/js/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { apiKeyLifetimes, expiryOfApiKey } from '../lib/key-lifetimes.ts';
import { KeyRotationForm } from './key-rotation-form.tsx';
import { NewApiKeyDialog } from './new-api-key-dialog.tsx';

type Props = {
  rotated: ApiKey | null;
  owner: ApiKeyOwner;
  onClose: () => void;
  /** @returns the new secret key, which is shown only once */
  rotate: (keyId: string, input: ApiKeyRotation) => Promise<string>;
};

/** Replaces a key of a user or a team by a new one, then shows it once. */
export function RotateApiKeyDialog({ rotated, owner, onClose, rotate }: Props) {
  return (
    <NewApiKeyDialog isOpen={rotated !== null} onClose={onClose} title={t`Rotate API key`}>
      {(show, close) =>
        rotated && (
          <KeyRotationForm
            submitLabel={t`Rotate API key`}
            oldLabel={t`Old key stops working`}
            newLabel={t`New key expires after`}
            lifetimes={apiKeyLifetimes}
            expiryOf={expiryOfApiKey}
            callOf={(rotation) => callOfApiKeyRotation(owner, rotated.id, rotation)}
            rotate={async (rotation) => show(await rotate(rotated.id, rotation))}
            onClose={close}
          >
            <Text size="sm">
              <Trans>
                You get a new key with the settings of “{rotated.description || t`Unnamed key`}”. Replace the old key
                wherever it is used before it stops working.
              </Trans>
            </Text>
          </KeyRotationForm>
        )
      }
    </NewApiKeyDialog>
  );
}
