import type { User, UserMergePreview, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Row } from '../../components/rows.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { maxFoundUsers, UserSearch } from '../../components/user-search.tsx';
import { useNotify } from '../../lib/notices.ts';
import { userName, userSubtitle } from '../../lib/user-name.ts';
import { MergeItems } from './merge-items.tsx';
import classes from './merge-users-dialog.module.css';

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
  const notify = useNotify();
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
    notify(t`Merged ${userName(duplicate)} into ${userName(user)}`);
  });
  const shown = preview.value;
  return (
    <Stack gap="md">
      <ul className={classes.users}>
        <Party user={user} fate={t`Stays`} color="verdigris" />
        <Party user={duplicate} fate={t`Is deleted`} color="red" />
      </ul>
      {preview.error !== undefined && <ErrorNote title={t`These users can’t be merged`} error={preview.error} />}
      {preview.error === undefined && !shown && <BlockLoading height={160} label={t`Loading preview`} />}
      {preview.error === undefined && shown && (
        <>
          <MergeItems title={t`Moves`} items={shown.merge.moved} />
          <MergeItems title={t`Does not move`} items={shown.merge.dropped} />
          <Effects effects={shown.effects} />
          <Text size="sm">
            <Trans>
              Everyone who can sign in as either user can sign in as {userName(user)} afterwards. This cannot be undone.
            </Trans>
          </Text>
        </>
      )}
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

type PartyProps = { user: User; fate: string; color: string };

function Party({ user, fate, color }: PartyProps) {
  return (
    <Row
      icon={<UserAvatar id={user.id} name={userName(user)} />}
      small={userSubtitle(user)}
      details={
        <Badge color={color} variant="light">
          {fate}
        </Badge>
      }
    >
      {userName(user)}
    </Row>
  );
}

/** What the merge does besides. Permissions of the two users are among the items. */
function Effects({ effects }: Pick<UserMergePreview, 'effects'>) {
  const others = effects.filter(({ permissionId }) => permissionId === null);
  if (others.length === 0) return null;
  return (
    <section aria-label={t`Effects`}>
      <h3 className={classes.title}>
        <Trans>Effects</Trans>
      </h3>
      <ul className={classes.effects}>
        {others.map(({ kind, text }) => (
          <li key={kind}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
