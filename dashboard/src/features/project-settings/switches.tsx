import type { ProjectConfig, ProjectSettings } from '@gatebook/js/projects';
import { useAction } from '@gatebook/react/use-action';
import { Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';

type Name = {
  [Key in keyof ProjectConfig]: ProjectConfig[Key] extends boolean ? Key : never;
}[keyof ProjectConfig];
type SwitchText = { name: Name; label: string; description: string };

export const signInSwitches: readonly SwitchText[] = [
  { name: 'signUpEnabled', label: 'Sign-up', description: 'New people may make an account. Servers may always.' },
  { name: 'credentialEnabled', label: 'Password', description: 'Sign in with e-mail and password.' },
  { name: 'magicLinkEnabled', label: 'E-mail code', description: 'Sign in with a code or link sent by e-mail.' },
  { name: 'passkeyEnabled', label: 'Passkey', description: 'Sign in with a device or a security key.' },
];
export const userSwitches: readonly SwitchText[] = [
  { name: 'clientUserDeletionEnabled', label: 'Deleting oneself', description: 'People may delete their own account.' },
  { name: 'clientTeamCreationEnabled', label: 'Creating teams', description: 'People may create teams themselves.' },
  {
    name: 'createTeamOnSignUp',
    label: 'A team for everybody',
    description: 'Whoever signs up gets a team of their own, which is selected.',
  },
  { name: 'allowUserApiKeys', label: 'API keys of users', description: 'People may make keys for their own scripts.' },
  {
    name: 'allowTeamApiKeys',
    label: 'API keys of teams',
    description: 'Members who may manage API keys make them for their team.',
  },
];

type Props = {
  switches: readonly SwitchText[];
  config: ProjectConfig;
  change: (config: Partial<Record<Name, boolean>>) => Promise<void>;
  /** With these, the switch for anonymous accounts. */
  settings?: ProjectSettings | undefined;
  changeSettings?: (changes: Partial<ProjectSettings>) => Promise<void>;
};

/** Each takes effect when it is flipped. */
export function Switches({ switches, config, change, settings, changeSettings }: Props) {
  const [changing, setChanging] = useState<string | null>(null);
  const action = useAction(async (name: string, call: () => Promise<void>) => {
    setChanging(name);
    await call().finally(() => setChanging(null));
  });
  const flip = (name: Name, isOn: boolean) => action.run(name, () => change({ [name]: isOn }));
  return (
    <Stack gap="md">
      {action.error !== undefined && <ErrorNote error={action.error} />}
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
      {settings && changeSettings && (
        <Switch
          label="Anonymous accounts"
          description="Apps may give people an account before they sign up."
          checked={settings.anonymousSignUpEnabled}
          disabled={changing === 'anonymous'}
          onChange={(event) => {
            const anonymousSignUpEnabled = event.currentTarget.checked;
            void action.run('anonymous', () => changeSettings({ anonymousSignUpEnabled }));
          }}
        />
      )}
    </Stack>
  );
}
