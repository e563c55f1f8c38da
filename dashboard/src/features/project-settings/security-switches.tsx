import type { ProjectSettings } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';

type Name = {
  [Key in keyof ProjectSettings]: ProjectSettings[Key] extends boolean ? Key : never;
}[keyof ProjectSettings];

const switches: readonly { name: Name; label: string; description: string }[] = [
  {
    name: 'keylessClientsAllowed',
    label: 'Clients without a publishable key',
    description:
      'Apps need only the project ID. A publishable key is public, so it protects no data; requiring it lets you revoke access of an app.',
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
  },
];

type Props = { settings: ProjectSettings; change: (changes: Partial<ProjectSettings>) => Promise<void> };

/** Each switch takes effect immediately. */
export function SecuritySwitches({ settings, change }: Props) {
  const [changing, setChanging] = useState<Name | null>(null);
  const flip = useAction(async (name: Name, isOn: boolean) => {
    setChanging(name);
    await change({ [name]: isOn }).finally(() => setChanging(null));
  });
  return (
    <Stack gap="md">
      {flip.error !== undefined && <ErrorNote error={flip.error} />}
      {switches.map(({ name, label, description }) => (
        <Switch
          key={name}
          label={label}
          description={description}
          checked={settings[name]}
          disabled={changing === name}
          onChange={(event) => void flip.run(name, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}
