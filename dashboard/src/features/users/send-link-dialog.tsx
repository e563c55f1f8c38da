import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** null: the user has none to sign in with, and the server would send nothing, or to another user's account. */
  email: string | null;
  /** The page of the app that the link opens; null if it is not known. */
  callbackUrl: string | null;
  projectId: string;
  send: (email: string, callbackUrl: string) => Promise<void>;
};

/** Emails a link to a user, to the sign-in pages of the app. */
export function SendLinkDialog({ isOpen, onClose, title, ...parts }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <SendLinkForm onClose={onClose} {...parts} />
    </Modal>
  );
}

function SendLinkForm({ onClose, email, callbackUrl, projectId, send }: Omit<Props, 'isOpen' | 'title'>) {
  const action = useAction(async () => {
    if (email === null || callbackUrl === null) return;
    await send(email, callbackUrl);
  });
  if (email === null)
    return (
      <Text size="sm">
        <Trans>This user has no email address to sign in with.</Trans>
      </Text>
    );
  if (callbackUrl === null) {
    return (
      <Text size="sm">
        <Trans>
          The link opens a page of your app. First add the{' '}
          <AppLink href={`/projects/${projectId}/settings/domains`}>domain of your app</AppLink>.
        </Trans>
      </Text>
    );
  }
  return (
    <DialogForm action={action} submitLabel={t`Send email`} onDone={onClose} onClose={onClose}>
      <Text size="sm">
        <Trans>
          Emails a link to <strong>{email}</strong>. It opens {callbackUrl}.
        </Trans>
      </Text>
    </DialogForm>
  );
}
