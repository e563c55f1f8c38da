import type { ProjectConfig, ProjectSettings } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { SimpleGrid, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from './states.tsx';
import { Writing } from './writing.tsx';

export type SwitchName = {
  [Key in keyof ProjectConfig]: ProjectConfig[Key] extends boolean ? Key : never;
}[keyof ProjectConfig];
export type SwitchText = { name: SwitchName; label: string; description: string };

export const signInSwitches: readonly SwitchText[] = [
  {
    name: 'signUpEnabled',
    label: 'Sign-up',
    description: 'New users can create an account. Servers can always create users.',
  },
  { name: 'credentialEnabled', label: 'Password', description: 'Sign in with email and password.' },
  { name: 'magicLinkEnabled', label: 'Email code', description: 'Sign in with a code or link sent by email.' },
  { name: 'passkeyEnabled', label: 'Passkey', description: 'Sign in with a device or security key.' },
];
export const userSwitches: readonly SwitchText[] = [
  { name: 'clientUserDeletionEnabled', label: 'Account deletion', description: 'Users can delete their own account.' },
  { name: 'clientTeamCreationEnabled', label: 'Team creation', description: 'Users can create teams.' },
  {
    name: 'createTeamOnSignUp',
    label: 'Personal team on sign-up',
    description: 'New users get their own team, selected by default.',
  },
  { name: 'allowUserApiKeys', label: 'User API keys', description: 'Users can create API keys for themselves.' },
  {
    name: 'allowTeamApiKeys',
    label: 'Team API keys',
    description: 'Members with permission to manage API keys can create them for their team.',
  },
];

type Props = {
  switches: readonly SwitchText[];
  config: ProjectConfig;
  /** On a wide screen. */
  columns?: 1 | 2;
  change: (config: Partial<Record<SwitchName, boolean>>) => Promise<void>;
  /** Adds the switch for anonymous accounts. */
  settings?: ProjectSettings | undefined;
  changeSettings?: (changes: Partial<ProjectSettings>) => Promise<void>;
};

/** Each switch takes effect immediately. */
export function Switches({ switches, config, columns = 1, change, settings, changeSettings }: Props) {
  const [changing, setChanging] = useState<string | null>(null);
  const action = useAction(async (name: string, call: () => Promise<void>) => {
    setChanging(name);
    await call().finally(() => setChanging(null));
  });
  const flip = (name: SwitchName, isOn: boolean) => action.run(name, () => change({ [name]: isOn }));
  return (
    <Writing>
      <Stack gap="md">
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <SimpleGrid cols={{ base: 1, sm: columns }} spacing="xl" verticalSpacing="md">
          {switches.map(({ name, label, description }) => (
            <Switch
              key={name}
              label={label}
              description={description}
              checked={config[name]}
              disabled={changing === name}
              onChange={(event) => void flip(name, event.currentTarget.checked)}
            />
          ))}
        </SimpleGrid>
        {settings && changeSettings && (
          <Switch
            label="Anonymous accounts"
            description="Apps can create an account for users before they sign up."
            checked={settings.anonymousSignUpEnabled}
            disabled={changing === 'anonymous'}
            onChange={(event) => {
              const anonymousSignUpEnabled = event.currentTarget.checked;
              void action.run('anonymous', () => changeSettings({ anonymousSignUpEnabled }));
            }}
          />
        )}
      </Stack>
    </Writing>
  );
}
