import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import type { Project, User, UsersClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useMarkSaved } from '../../components/form-dialog-state.ts';
import { required } from '../../lib/required.ts';
import { userName } from '../../lib/user-name.ts';
import { appPageUrl } from './app-pages.ts';

const durations = [
  { value: '5', label: t`5 minutes` },
  { value: '15', label: t`15 minutes` },
  { value: '30', label: t`30 minutes` },
  { value: '60', label: t`1 hour` },
];
const MAX_REASON = 500;

type Values = { reason: string; minutes: string; pageUrl: string };
type Props = {
  isOpen: boolean;
  onClose: () => void;
  user: User;
  project: Project | undefined;
  impersonate: UsersClient['impersonate'];
  onStarted: () => Promise<void>;
};

/** Asks why and for how long, then leads to the app. */
export function ImpersonateDialog({ isOpen, onClose, user, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Impersonate ${userName(user)}`}>
      <Impersonation user={user} onClose={onClose} {...form} />
    </FormDialog>
  );
}

function Impersonation({ user, onClose, project, impersonate, onStarted }: Omit<Props, 'isOpen'>) {
  const [started, setStarted] = useState<{ link: string; minutes: string } | null>(null);
  const form = useForm<Values>({
    initialValues: {
      reason: '',
      minutes: '15',
      pageUrl: appPageUrl(project, 'impersonation') ?? 'http://localhost:3000/handler/impersonation',
    },
    validate: {
      reason: required(t`Enter a reason`),
      // The link signs its bearer in as the user.
      pageUrl: (url) =>
        project && isTrustedUrl(url.trim(), project.config) ? null : t`Enter a URL on a trusted domain of the project`,
    },
  });
  const markSaved = useMarkSaved();
  const action = useAction(async ({ reason, minutes, pageUrl: page }: Values) => {
    const refreshToken = await impersonate(user.id, { reason: reason.trim(), minutes: Number(minutes) });
    // In the hash, which browsers send to no server.
    setStarted({ link: `${page.trim()}#${refreshToken}`, minutes });
    markSaved();
    await onStarted();
  });
  if (started) return <StartedNote {...started} onClose={onClose} />;
  return (
    <DialogForm form={form} action={action} submitLabel={t`Start impersonation`} onClose={onClose}>
      <Text size="sm">
        <Trans>
          You will use your app as this user. You can read and change their data, but not their password, email or other
          credentials. The history of the user shows your name, the reason and the duration.
        </Trans>
      </Text>
      <Textarea label={t`Reason`} maxLength={MAX_REASON} data-autofocus {...form.getInputProps('reason')} />
      <Select label={t`Duration`} data={durations} allowDeselect={false} {...form.getInputProps('minutes')} />
      <TextInput
        label={t`Page of your app`}
        description={t`The sign-in page of your app that starts the session.`}
        {...form.getInputProps('pageUrl')}
      />
    </DialogForm>
  );
}

type StartedProps = { link: string; minutes: string; onClose: () => void };

function StartedNote({ link, minutes, onClose }: StartedProps) {
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          The session lasts {durations.find(({ value }) => value === minutes)?.label} from now. The link replaces your
          own session in the app: to keep it, copy the link and open it in a private window. Do not share the link.
        </Trans>
      </Text>
      <CopyField label={t`Link`} value={link} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
        <Button component="a" href={link} target="_blank" rel="noopener noreferrer" onClick={onClose}>
          <Trans>Open app</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
