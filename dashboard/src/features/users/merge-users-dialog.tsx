import type { DroppedItem, MergeItem, User, UserMergePreview, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Row, Rows } from '../../components/rows.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { userName, userSubtitle } from '../../lib/user-name.ts';

const maxResults = 8;
const debounceMs = 250;

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
    <Modal opened={isOpen} onClose={onClose} title="Merge with another user" size="lg">
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
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), debounceMs);
  const found = useResource(['duplicate-search', projectId, user.id, query], async () => {
    const { items } = await users.search({ query, limit: maxResults + 1, desc: true });
    return items.filter(({ id }) => id !== user.id).slice(0, maxResults);
  });
  return (
    <Stack gap="sm">
      <Text size="sm">
        Choose the duplicate. {userName(user)} stays and gets everything that the duplicate has. The duplicate is
        deleted.
      </Text>
      <TextInput
        label="Search users"
        placeholder="Name, email or ID"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <Rows list={found} label="Searching users" empty="No users found">
        {(one) => (
          <Row
            key={one.id}
            icon={<UserAvatar id={one.id} name={userName(one)} />}
            small={userSubtitle(one)}
            actions={
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onChoose(one)}
                aria-label={`Choose ${userName(one)}`}
              >
                Choose
              </Button>
            }
          >
            {userName(one)}
          </Row>
        )}
      </Rows>
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
        {userName(duplicate)} ({userSubtitle(duplicate)}) is merged into {userName(user)} ({userSubtitle(user)}).
      </Text>
      {preview.error !== undefined && <ErrorNote title="These users can’t be merged" error={preview.error} />}
      {preview.error === undefined && !shown && <BlockLoading height={160} label="Loading preview" />}
      {preview.error === undefined && shown && (
        <>
          <Items title="Moves" items={shown.merge.moved} empty="Nothing" />
          <Items title="Does not move" items={shown.merge.dropped} empty="Nothing" />
          {shown.effects.length > 0 && (
            <section aria-label="Effects">
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
        Everyone who can sign in as either user can sign in as {userName(user)} afterwards. This cannot be undone.
      </Text>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          Choose another user
        </Button>
        <Button
          color="red"
          loading={action.isRunning}
          disabled={!shown || preview.error !== undefined}
          onClick={() => shown && void action.run(shown)}
        >
          Merge users
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
  kept_one_stays: 'the user who stays has another one',
  already_there: 'the user who stays has the same',
  not_usable: 'revoked or expired',
  ends: 'ends',
};

const labels: Readonly<Record<string, string>> = {
  display_name: 'Display name',
  profile_image: 'Profile image',
  client_metadata: 'Client metadata',
  client_read_only_metadata: 'Read-only client metadata',
  server_metadata: 'Server metadata',
  country_code: 'Country',
  risk_scores: 'Risk scores',
  email: 'Email',
  primary_email: 'Primary email',
  password: 'Password',
  email_code: 'Sign-in with email codes',
  second_factor: 'Two-factor authentication',
  passkey: 'Passkey',
  connected_account: 'Connected account',
  api_key: 'API key',
  project_permission: 'Project permission',
  team: 'Team',
  team_profile: 'Team profile',
  team_permission: 'Team permission',
  selected_team: 'Selected team',
  unsubscribed_category: 'Unsubscribed emails',
  restriction: 'Restriction',
  sessions: 'Sessions',
};

function describeItem({ kind, name, teamName }: MergeItem): string {
  const label = labels[kind] ?? kind;
  const named = name === null || kind === 'team' ? label : `${label} ${name}`;
  if (teamName === null) return named;
  return kind === 'team' || kind === 'selected_team' ? `${named} ${teamName}` : `${named} in ${teamName}`;
}
