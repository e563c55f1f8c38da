import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';

type SecretDialogProps = {
  /** null when the dialog is closed. */
  secret: string | null;
  title: string;
  onClose: () => void;
  /** The page of the endpoint, if this is not it. */
  href?: string | undefined;
};

/** Shows a new secret. Clicking outside the dialog does not close it. */
export function SecretDialog({ secret, title, onClose, href }: SecretDialogProps) {
  return (
    <Modal opened={secret !== null} onClose={onClose} title={title} closeOnClickOutside={false} size="lg">
      {secret !== null && (
        <Stack gap="md">
          <Text size="sm">
            <Trans>
              Your server checks with this secret that a delivery comes from Gatebook. Keep it out of your code. You can
              read it again on the page of the endpoint.
            </Trans>
          </Text>
          <CopyField label={t`Signing secret`} value={secret} />
          <Group justify="flex-end" gap="xs">
            {href !== undefined && (
              <LinkButton href={href} variant="default">
                <Trans>Open endpoint</Trans>
              </LinkButton>
            )}
            <Button onClick={onClose}>
              <Trans>Done</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
