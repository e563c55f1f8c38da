import type { NewProjectKey, ProjectKeysClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { daysFromNow } from '../../lib/key-lifetimes.ts';
import { codeOf, type Framework, installLines, type Values } from './framework.ts';
import { frameworks } from './frameworks.ts';
import classes from './start.module.css';

const KEY_DAYS = 365;

type Props = {
  keys: Pick<ProjectKeysClient, 'create'>;
  projectId: string;
  apiUrl: string;
  version: string;
  needsPublishableKey: boolean;
  isSignUpClosed: boolean;
};

/** Everything to paste into an app, with the values of the project. */
export function ConnectCard({ keys, needsPublishableKey, isSignUpClosed, ...given }: Props) {
  const [chosen, setChosen] = useState<Framework>(frameworks[0]);
  const [created, setCreated] = useState<NewProjectKey | null>(null);
  const [clone, setClone] = useState('~/gatebook');
  const values: Values = {
    ...given,
    clone: clone.trim() || '~/gatebook',
    secretServerKey: created?.texts.secretServerKey ?? null,
    publishableClientKey: needsPublishableKey ? (created?.texts.publishableClientKey ?? '…') : null,
  };
  const needsKey = needsPublishableKey || chosen.needsSecretKey === true;
  return (
    <Card title={t`Connect your app`} labelId="connect-title">
      <fieldset aria-label={t`Framework`} className={classes.frameworks}>
        {frameworks.map((framework) => (
          <Button
            key={framework.id}
            size="compact-sm"
            variant={framework === chosen ? 'light' : 'subtle'}
            aria-pressed={framework === chosen}
            onClick={() => setChosen(framework)}
          >
            {framework.name}
          </Button>
        ))}
      </fieldset>
      <Stack gap="lg">
        {isSignUpClosed && (
          <Note title={t`Users cannot sign up with a password`}>
            <Trans>
              Turn on sign-up and passwords in the{' '}
              <AppLink href={`/projects/${given.projectId}/settings/sign-in-methods`}>settings</AppLink> before you run
              this code.
            </Trans>
          </Note>
        )}
        <Install framework={chosen} values={values} clone={clone} onClone={setClone} />
        <Keys {...{ keys, created, setCreated, needsPublishableKey }} isShown={needsKey} />
        <CopyField label={chosen.env.path} value={chosen.env.lines(values).join('\n')} />
        {chosen.files.map((file) => (
          <CopyField key={file.path} label={file.path} value={codeOf(file, values)} />
        ))}
        <div>
          <CopyField label={t`Run`} value={chosen.run.join('\n')} />
          <Text size="sm" c="dimmed" mt="xs">
            {chosen.outcome}
          </Text>
        </div>
      </Stack>
    </Card>
  );
}

type InstallProps = { framework: Framework; values: Values; clone: string; onClone: (clone: string) => void };

function Install({ framework, values, clone, onClone }: InstallProps) {
  const lines = installLines(framework, values);
  if (lines.length === 0) return null;
  return (
    <Stack gap="xs">
      <CopyField label={t`Install`} value={lines.join('\n')} />
      {framework.packages.length > 0 && (
        <TextInput
          label={t`Gatebook folder`}
          description={t`The packages are not on npm yet. They come from your clone of the repository.`}
          value={clone}
          onChange={({ target }) => onClone(target.value)}
          className={classes.clone}
        />
      )}
    </Stack>
  );
}

type KeysProps = {
  keys: Pick<ProjectKeysClient, 'create'>;
  created: NewProjectKey | null;
  setCreated: (key: NewProjectKey) => void;
  needsPublishableKey: boolean;
  isShown: boolean;
};

/** Creates the keys that the variables need. They are on the page until it is left. */
function Keys({ keys, created, setCreated, needsPublishableKey, isShown }: KeysProps) {
  const create = useAction(async () => {
    const kinds = ['secretServerKey', ...(needsPublishableKey ? ['publishableClientKey' as const] : [])] as const;
    setCreated(await keys.create({ description: t`Get started`, expiresAt: daysFromNow(KEY_DAYS), kinds }));
  });
  if (!isShown) return null;
  if (created) {
    return (
      <Note title={t`Copy the key now`}>
        <Trans>It is in the variables below. You won’t be able to see it again after you leave this page.</Trans>
      </Note>
    );
  }
  return (
    <Writing>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <Trans>This code authenticates with a key. It is valid for a year, and you can revoke it any time.</Trans>
        </Text>
        <Button
          size="xs"
          leftSection={<IconKey size={14} aria-hidden />}
          loading={create.isRunning}
          onClick={() => void create.run()}
        >
          <Trans>Create key and fill it in</Trans>
        </Button>
        {create.error !== undefined && <ErrorNote title={t`The key could not be created`} error={create.error} />}
      </Stack>
    </Writing>
  );
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.note}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm">{children}</Text>
    </div>
  );
}
