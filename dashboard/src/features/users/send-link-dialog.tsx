import { useAction } from '@gatebook/react';
import { Modal, Stack, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { DialogButtons } from '../../components/dialog-buttons.tsx';

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
    onClose();
  });
  if (email === null) return <Text size="sm">This user has no email address to sign in with.</Text>;
  if (callbackUrl === null) {
    return (
      <Text size="sm">
        The link opens a page of your app. First add the{' '}
        <AppLink href={`/projects/${projectId}/settings/domains`} inherit>
          domain of your app
        </AppLink>
        .
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          Emails a link to <strong>{email}</strong>. It opens {callbackUrl}.
        </Text>
        <DialogButtons action={action} submitLabel="Send email" onClose={onClose} />
      </Stack>
    </form>
  );
}
