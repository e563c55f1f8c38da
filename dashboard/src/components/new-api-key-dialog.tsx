import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyField } from './copy-field.tsx';
import { FormDialog } from './form-dialog.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** The form, which calls `show` with the new key. */
  children: (show: (secret: string) => void, close: () => void) => ReactNode;
};

/** A form, then the key that it created, once. Clicking outside the dialog does not close it while the key is shown. */
export function NewApiKeyDialog({ isOpen, onClose, title, children }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setSecret(null);
    onClose();
  };
  return (
    <FormDialog
      opened={isOpen}
      onClose={close}
      title={secret === null ? title : t`Save your API key`}
      closeOnClickOutside={secret === null}
      size="lg"
    >
      {secret === null ? (
        children(setSecret, close)
      ) : (
        <Stack gap="md">
          <Text size="sm">
            <Trans>Copy this key now. You won’t be able to see it again.</Trans>
          </Text>
          <CopyField label={t`API key`} value={secret} />
          <Group justify="flex-end">
            <Button onClick={close}>
              <Trans>Done, I’ve saved it</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  );
}
