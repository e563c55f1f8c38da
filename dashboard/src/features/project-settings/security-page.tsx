import {
  callOfSettingsUpdate,
  type ProjectSettings,
  type ProjectSettingsChanges,
  type QuotaChanges,
} from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { DraftSwitch } from '../../components/drafts/draft-fields.tsx';
import { DraftNumber } from '../../components/drafts/draft-number.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Draft, useDraft } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import {
  dayFields,
  fields,
  isQuota,
  lengthField,
  lifetimeFields,
  loginFields,
  ownerQuota,
  passwordFields,
  quotaFields,
  type SecurityValues,
  type SwitchField,
  toValues,
} from './security-fields.ts';
import {
  LoadedSettings,
  SettingsHistory,
  SettingsPage,
  type SettingsPageProps,
  useProjectSettings,
} from './settings-page.tsx';

export function SecurityPage(props: SettingsPageProps) {
  const { settings, updateSettings } = useProjectSettings(props);
  return (
    <SettingsPage {...props} path="/settings/security">
      {({ id }) => (
        <LoadedSettings settings={settings}>
          {(loaded) => (
            <Security
              settings={loaded}
              ownsProjects={id === 'internal'}
              save={updateSettings}
              history={<SettingsHistory audit={props.audit} projectId={id} of="ProjectSettingsChanged" />}
            />
          )}
        </LoadedSettings>
      )}
    </SettingsPage>
  );
}

type SecurityProps = {
  settings: ProjectSettings;
  ownsProjects: boolean;
  history: React.ReactNode;
  save: (changes: ProjectSettingsChanges) => Promise<void>;
};

function Security({ settings, ownsProjects, history, save }: SecurityProps) {
  const draft = useDraft(toValues(settings), fields);
  const changes = toChanges(draft.changes);
  return (
    <Writing>
      <Card title={t`Sessions`} labelId="sessions-title" details={history}>
        <Stack gap="md">
          <Stack gap="md" maw="32rem">
            {lifetimeFields.map(({ name, description, min, max }) => (
              <DraftNumber key={name} draft={draft} name={name} description={description} min={min} max={max} />
            ))}
          </Stack>
          <Switches draft={draft} fields={loginFields} />
        </Stack>
      </Card>
      <Card title={t`Passwords and email addresses`} labelId="passwords-title" details={history}>
        <Stack gap="md">
          <Stack gap="md" maw="32rem">
            <DraftNumber
              draft={draft}
              name={lengthField.name}
              description={lengthField.description}
              min={lengthField.min}
              max={lengthField.max}
            />
          </Stack>
          <Switches draft={draft} fields={passwordFields} />
        </Stack>
      </Card>
      <Card title={t`Deletion and retention`} labelId="retention-title" details={history}>
        <Stack gap="md" maw="32rem">
          {dayFields.map(({ name, description, min, max }) => (
            <DraftNumber key={name} draft={draft} name={name} description={description} min={min} max={max} />
          ))}
        </Stack>
      </Card>
      <Card title={t`Quotas`} labelId="quotas-title" details={history}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            <Trans>
              Limits on what users can create in your app. They do not apply to your servers, except for sessions: when
              a user exceeds that limit, the least recently used session ends. Leave a field empty to use the default.
            </Trans>
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {quotaFields
              .filter(({ name }) => ownsProjects || name !== ownerQuota.name)
              .map(({ name }) => (
                <DraftNumber key={name} draft={draft} name={name} min={1} />
              ))}
          </SimpleGrid>
        </Stack>
      </Card>
      <SaveBar draft={draft} calls={[callOfSettingsUpdate(changes)]} save={() => save(changes)} />
    </Writing>
  );
}

function Switches({ draft, fields: shown }: { draft: Draft<SecurityValues>; fields: readonly SwitchField[] }) {
  return shown.map(({ name, description }) => (
    <DraftSwitch key={name} draft={draft} name={name} description={description} />
  ));
}

/** An empty quota is reset to the default. */
function toChanges(changes: Partial<SecurityValues>): ProjectSettingsChanges {
  const entries = Object.entries(changes);
  const quotas = Object.fromEntries(entries.filter(([name]) => isQuota(name))) as QuotaChanges;
  const others = Object.fromEntries(entries.filter(([name]) => !isQuota(name))) as ProjectSettingsChanges;
  return { ...others, ...(Object.keys(quotas).length > 0 && { quotas }) };
}
