import type { ProjectSettings } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Name = {
  [Key in keyof ProjectSettings]: ProjectSettings[Key] extends boolean ? Key : never;
}[keyof ProjectSettings];

/** `field`: the name of the setting in requests. */
type Question = { isAskedFor: boolean; field: string; title: string; confirmLabel: string };
type SwitchText = { name: Name; label: string; description: string; question?: Question };

/** `question`: asked before a value that locks somebody out at once. */
const switches: readonly SwitchText[] = [
  {
    name: 'keylessClientsAllowed',
    label: 'Clients without a publishable key',
    description:
      'Apps need only the project ID. A publishable key is public, so it protects no data; requiring it lets you revoke access of an app.',
    question: {
      isAskedFor: false,
      field: 'keyless_clients_allowed',
      title: 'Require a publishable key?',
      confirmLabel: 'Require key',
    },
  },
  {
    name: 'securityNoticesEnabled',
    label: 'Security notices',
    description:
      'Email users when their password, two-factor authentication, passkey, email addresses or connected accounts change, and when they sign in from a new device.',
  },
  {
    name: 'breachedPasswordsRejected',
    label: 'Reject breached passwords',
    description: 'Users cannot choose a password from a list of common and breached passwords.',
  },
  {
    name: 'reauthenticationRequired',
    label: 'Require a recent sign-in for sensitive changes',
    description:
      'Users must have signed in within the last 10 minutes to change their email addresses, password or two-factor authentication, to export their data or to delete their account. Apps that don’t use Gatebook’s client library must handle the error themselves.',
  },
  {
    name: 'emailVerificationRequired',
    label: 'Require a verified email address',
    description:
      'Users without a verified primary email address are restricted until they verify it: apps treat them as signed out, and their API keys do not work. This applies to existing users immediately.',
    question: {
      isAskedFor: true,
      field: 'email_verification_required',
      title: 'Require a verified email address?',
      confirmLabel: 'Require verification',
    },
  },
];

type Props = { settings: ProjectSettings; change: (changes: Partial<ProjectSettings>) => Promise<void> };

/** Each switch takes effect immediately, some after a confirmation. */
export function SecuritySwitches({ settings, change }: Props) {
  const [asked, setAsked] = useState<SwitchText | null>(null);
  const [changing, setChanging] = useState<Name | null>(null);
  const flip = useAction(async (name: Name, isOn: boolean) => {
    setChanging(name);
    await change({ [name]: isOn }).finally(() => setChanging(null));
  });
  const start = (text: SwitchText, isOn: boolean): void => {
    if (text.question?.isAskedFor === isOn) setAsked(text);
    else void flip.run(text.name, isOn);
  };
  return (
    <Writing>
      <Stack gap="md">
        {flip.error !== undefined && <ErrorNote error={flip.error} />}
        {switches.map((text) => (
          <Switch
            key={text.name}
            label={text.label}
            description={text.description}
            checked={settings[text.name]}
            disabled={changing === text.name}
            onChange={(event) => start(text, event.currentTarget.checked)}
          />
        ))}
      </Stack>
      <Confirmation asked={asked} onClose={() => setAsked(null)} change={change} />
    </Writing>
  );
}

type ConfirmationProps = { asked: SwitchText | null; onClose: () => void; change: Props['change'] };

function Confirmation({ asked, onClose, change }: ConfirmationProps) {
  if (!asked?.question) return null;
  const { isAskedFor, field, title, confirmLabel } = asked.question;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={title}
      confirmLabel={confirmLabel}
      call={{ method: 'PATCH', path: '/internal/projects/current/settings', body: { [field]: isAskedFor } }}
      onConfirm={() => change({ [asked.name]: isAskedFor })}
    >
      {asked.description}
    </ConfirmDialog>
  );
}
