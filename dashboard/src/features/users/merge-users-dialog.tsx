import type { DroppedItem, MergeItem, User, UserMergePreview, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { maxFoundUsers, UserSearch } from '../../components/user-search.tsx';
import { userName, userSubtitle } from '../../lib/user-name.ts';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** The user who stays. */
  user: User;
  users: Pick<UsersClient, 'search' | 'previewMerge' | 'merge'>;
  projectId: string;
  onMerged: () => Promise<void>;
};

/** Finds a duplicate of the user, shows what a merge would do, and merges the two. */
export function MergeUsersDialog({ isOpen, onClose, ...parts }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Merge with another user`} size="lg">
      <MergeUsers onClose={onClose} {...parts} />
    </Modal>
  );
}

/** A separate component, so that its state resets each time the dialog opens. */
function MergeUsers({ onClose, ...parts }: Omit<Props, 'isOpen'>) {
  const [duplicate, setDuplicate] = useState<User | null>(null);
  if (!duplicate) return <ChooseDuplicate onChoose={setDuplicate} {...parts} />;
  return <ConfirmMerge duplicate={duplicate} onBack={() => setDuplicate(null)} onClose={onClose} {...parts} />;
}

type ChooseProps = Pick<Props, 'user' | 'users' | 'projectId'> & { onChoose: (user: User) => void };

function ChooseDuplicate({ user, users, projectId, onChoose }: ChooseProps) {
  async function search(query: string) {
    const { items } = await users.search({ query, limit: maxFoundUsers + 1, desc: true });
    const others = items.filter(({ id }) => id !== user.id);
    return others.slice(0, maxFoundUsers).map((other) => ({ user: other }));
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        <Trans>
          Choose the duplicate. {userName(user)} stays and gets everything that the duplicate has. The duplicate is
          deleted.
        </Trans>
      </Text>
      <UserSearch
        cacheKey={['duplicate-search', projectId, user.id]}
        search={search}
        button={({ user: found }) => (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChoose(found)}
            aria-label={t`Choose ${userName(found)}`}
          >
            <Trans>Choose</Trans>
          </Button>
        )}
      />
    </Stack>
  );
}

type ConfirmProps = Omit<Props, 'isOpen'> & { duplicate: User; onBack: () => void };

function ConfirmMerge({ user, duplicate, users, projectId, onMerged, onBack, onClose }: ConfirmProps) {
  const preview = useResource(['merge-preview', projectId, user.id, duplicate.id], () =>
    users.previewMerge(user.id, duplicate.id),
  );
  const action = useAction(async ({ etag }: UserMergePreview) => {
    try {
      await users.merge(user.id, duplicate.id, { etag });
    } catch (error) {
      // Shows what has changed since.
      await preview.refresh();
      throw error;
    }
    await onMerged();
    onClose();
  });
  const shown = preview.value;
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          {userName(duplicate)} ({userSubtitle(duplicate)}) is merged into {userName(user)} ({userSubtitle(user)}).
        </Trans>
      </Text>
      {preview.error !== undefined && <ErrorNote title={t`These users can’t be merged`} error={preview.error} />}
      {preview.error === undefined && !shown && <BlockLoading height={160} label={t`Loading preview`} />}
      {preview.error === undefined && shown && (
        <>
          <Items title={t`Moves`} items={shown.merge.moved} empty={t`Nothing`} />
          <Items title={t`Does not move`} items={shown.merge.dropped} empty={t`Nothing`} />
          {shown.effects.length > 0 && (
            <section aria-label={t`Effects`}>
              <ul>
                {shown.effects.map(({ kind, permissionId, text }) => (
                  <li key={`${kind} ${permissionId}`}>{text}</li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
      <Text size="sm">
        <Trans>
          Everyone who can sign in as either user can sign in as {userName(user)} afterwards. This cannot be undone.
        </Trans>
      </Text>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          <Trans>Choose another user</Trans>
        </Button>
        <Button
          color="red"
          loading={action.isRunning}
          disabled={!shown || preview.error !== undefined}
          onClick={() => shown && void action.run(shown)}
        >
          <Trans>Merge users</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

type ItemsProps = { title: string; items: readonly (MergeItem | DroppedItem)[]; empty: string };

function Items({ title, items, empty }: ItemsProps) {
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {items.length === 0 ? (
        <Text size="sm">{empty}</Text>
      ) : (
        <ul>
          {items.map((item) => (
            <li key={`${item.kind} ${item.name} ${item.teamId}`}>
              {describeItem(item)}
              {'reason' in item && <>: {reasons[item.reason] ?? item.reason}</>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const reasons: Readonly<Record<string, string>> = {
  kept_one_stays: t`the user who stays has another one`,
  already_there: t`the user who stays has the same`,
  not_usable: t`revoked or expired`,
  ends: t`ends`,
};

const labels: Readonly<Record<string, string>> = {
  display_name: t`Display name`,
  profile_image: t`Profile image`,
  client_metadata: t`Client metadata`,
  client_read_only_metadata: t`Read-only client metadata`,
  server_metadata: t`Server metadata`,
  country_code: t`Country`,
  risk_scores: t`Risk scores`,
  email: t`Email`,
  primary_email: t`Primary email`,
  password: t`Password`,
  email_code: t`Sign-in with email codes`,
  second_factor: t`Two-factor authentication`,
  passkey: t`Passkey`,
  connected_account: t`Connected account`,
  api_key: t`API key`,
  project_permission: t`Project permission`,
  team: t`Team`,
  team_profile: t`Team profile`,
  team_permission: t`Team permission`,
  selected_team: t`Selected team`,
  unsubscribed_category: t`Unsubscribed emails`,
  restriction: t`Restriction`,
  sessions: t`Sessions`,
};

function describeItem({ kind, name, teamName }: MergeItem): string {
  const label = labels[kind] ?? kind;
  const named = name === null || kind === 'team' ? label : `${label} ${name}`;
  if (teamName === null) return named;
  return kind === 'team' || kind === 'selected_team' ? `${named} ${teamName}` : t`${named} in ${teamName}`;
}
