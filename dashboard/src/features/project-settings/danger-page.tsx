import {
  callOfSettingsUpdate,
  type Project,
  type ProjectSettings,
  type ProjectSettingsChanges,
} from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DraftNumber } from '../../components/drafts/draft-number.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { daysFault, daysText } from './security-fields.ts';
import {
  LoadedSettings,
  SettingsHistory,
  SettingsPage,
  type SettingsPageProps,
  useProjectSettings,
} from './settings-page.tsx';

type Values = { projectDeletionGraceDays: number | null };
const fields: Fields<Values> = {
  projectDeletionGraceDays: {
    label: t`Days until the deleted project is erased`,
    text: daysText,
    fault: daysFault,
  },
};

export function DangerPage(props: SettingsPageProps) {
  const { settings, updateSettings } = useProjectSettings(props);
  return (
    <SettingsPage {...props} path="/settings/danger-zone" lead={t`Changes that can lock people out or erase data.`}>
      {(project) =>
        project.id === 'internal' ? (
          <Card>
            <Text size="sm" c="dimmed">
              <Trans>Gatebook itself needs this project. It can’t be deleted.</Trans>
            </Text>
          </Card>
        ) : (
          <LoadedSettings settings={settings}>
            {(loaded) => <DeleteProject {...props} shown={project} settings={loaded} save={updateSettings} />}
          </LoadedSettings>
        )
      }
    </SettingsPage>
  );
}

type DeleteProps = SettingsPageProps & {
  shown: Project;
  settings: ProjectSettings;
  save: (changes: ProjectSettingsChanges) => Promise<void>;
};

function DeleteProject({ client, audit, shown, settings, save }: DeleteProps) {
  const cache = useResourceCache();
  const { go } = useNavigation();
  const [isDeleting, setDeleting] = useState(false);
  const draft = useDraft<Values>({ projectDeletionGraceDays: settings.projectDeletionGraceDays }, fields);
  const { projectDeletionGraceDays: days } = draft.changes;
  const changes: ProjectSettingsChanges = typeof days === 'number' ? { projectDeletionGraceDays: days } : {};
  return (
    <Writing>
      <Card
        title={t`Delete project`}
        labelId="delete-title"
        details={<SettingsHistory audit={audit} projectId={shown.id} of="ProjectSettingsChanged" />}
      >
        <Stack gap="md" align="flex-start">
          <Text size="sm">
            <Trans>
              Deletes the project with its users, sessions and keys. Without a grace period, this cannot be undone.
            </Trans>
          </Text>
          <DraftNumber
            draft={draft}
            name="projectDeletionGraceDays"
            description={t`Until then, its keys and sessions are rejected, and its owners can restore it with everything in it. 0 erases it at once.`}
            min={0}
            max={90}
          />
          <Writing needs="owner">
            <Button color="red" variant="outline" onClick={() => setDeleting(true)}>
              <Trans>Delete project</Trans>
            </Button>
          </Writing>
        </Stack>
      </Card>
      <SaveBar draft={draft} calls={[callOfSettingsUpdate(changes)]} save={() => save(changes)} />
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={t`Delete this project?`}
        call={{ method: 'DELETE', path: '/internal/projects/current' }}
        confirmLabel={t`Delete project`}
        typedConfirmation={shown.displayName || shown.id}
        onConfirm={async () => {
          await client.delete();
          // At once, so that nothing unsaved asks before the page is left.
          flushSync(() => draft.discard());
          go('/projects', { replace: true });
          await Promise.all([cache.invalidate(['projects']), cache.invalidate(['deleted-projects'])]);
        }}
      >
        <Trans>
          All users of this project lose their accounts. If the project has a grace period, its owners can restore it
          until it ends.
        </Trans>
      </ConfirmDialog>
    </Writing>
  );
}
