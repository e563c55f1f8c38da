import type { PermissionsClient, TeamsClient, UserFilters, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { type BatchAction, describeBatch, largestBatch } from '../../components/batches/batch.ts';
import { BatchPreview } from '../../components/batches/batch-preview.tsx';
import { ErrorNote, RowsLoading } from '../../components/states.tsx';
import { useBatches } from '../../lib/batches.ts';
import { formatCount } from '../../lib/format.ts';
import { teamName } from '../../lib/team-name.ts';
import { readAllMatching } from './all-matching.ts';
import type { SelectionState } from './use-selection.ts';

/** Whose users, and what actions on them need. */
export type BatchParts = {
  state: SelectionState;
  users: Pick<UsersClient, 'search'>;
  teams: Pick<TeamsClient, 'list'>;
  permissions: Pick<PermissionsClient, 'list'>;
  projectId: string;
  /** The filters of the list, at the moment of the call. */
  filters: () => UserFilters;
};
type Props = BatchParts & { type: BatchAction['type'] | null; onClose: () => void };

/** Shows what an action does to the selected users, and starts it. */
export function BatchDialog({ type, onClose, ...parts }: Props) {
  // Keeps its content while it closes.
  const last = useRef(type);
  if (type !== null) last.current = type;
  return (
    <Modal opened={type !== null} onClose={onClose} title={last.current && titles[last.current]}>
      {last.current && <FindUsers type={last.current} onClose={onClose} {...parts} />}
    </Modal>
  );
}

const titles: Readonly<Record<BatchAction['type'], string>> = {
  restrict: t`Restrict users`,
  lift: t`Lift restrictions`,
  'sign-out': t`Sign out everywhere`,
  'add-to-team': t`Add to team`,
  grant: t`Grant permission`,
  delete: t`Delete users`,
};

type FormProps = Omit<Props, 'type'> & { type: BatchAction['type'] };

/** The users are fixed before the owner confirms, so that the action changes nobody else. */
function FindUsers(props: FormProps) {
  const { state, users, filters } = props;
  const { selected } = state;
  const [start] = useState(() => Date.now());
  const found = useResource(['batch-users', String(start)], async () => {
    if (selected.kind === 'some') return [...selected.users.keys()];
    const ids: string[] = [];
    for await (const page of readAllMatching(users, filters())) {
      ids.push(...page.map(({ id }) => id));
      if (ids.length > largestBatch) throw new Error(tooMany);
    }
    return ids;
  });
  // The cache reads again when a batch or another change of the project ends.
  const fixed = useRef(found.value);
  fixed.current ??= found.value;
  if (fixed.current) return <BatchForm {...props} found={fixed.current} />;
  if (found.error !== undefined) return <ErrorNote error={found.error} />;
  return <RowsLoading rows={2} label={t`Finding users`} />;
}

const tooMany = t`More than ${formatCount(largestBatch)} users match. Narrow the filters, and repeat the action for each part.`;

const explanations: Partial<Record<BatchAction['type'], string>> = {
  restrict: t`Signs the users out of all sessions immediately. They cannot sign in, and their API keys do not work.`,
  lift: t`The users can sign in again, and their API keys work again. Sessions that ended stay ended.`,
  'sign-out': t`Ends all sessions of the users immediately. They can sign in again.`,
  'add-to-team': t`The users get the default permissions of members.`,
  delete: t`Ends all sessions immediately. If the project has a grace period, you can restore the users until it ends. Then the accounts are erased.`,
};

/** Actions that would also end the session of the owner who starts them. */
const locksOut: ReadonlySet<BatchAction['type']> = new Set(['restrict', 'sign-out', 'delete']);

function BatchForm({ type, found, state, teams, permissions, projectId, onClose }: FormProps & { found: string[] }) {
  const batches = useBatches();
  const userIds = locksOut.has(type) ? found.filter((id) => id !== batches?.ownerId) : found;
  const [reason, setReason] = useState('');
  const [target, setTarget] = useState<Target>(null);
  const [confirmation, setConfirmation] = useState('');
  const action = actionOf(type, { reason: reason.trim() || null, target });
  const phrase = t`delete ${plural(userIds.length, { one: '# user', other: '# users' })}`;
  const run = useAction(async () => {
    if (!action || !batches) return;
    batches.start(action, userIds);
    state.clear();
    onClose();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run.run();
  };
  const isConfirmed = type !== 'delete' || confirmation.trim() === phrase;
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {explanations[type] && <Text size="sm">{explanations[type]}</Text>}
        {userIds.length < found.length && (
          <Text size="sm">
            <Trans>Your own account is left out.</Trans>
          </Text>
        )}
        {type === 'restrict' && (
          <TextInput
            label={t`Reason`}
            description={t`Shown to the users when they sign in`}
            maxLength={1000}
            autoComplete="off"
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {type === 'add-to-team' && <TeamField teams={teams} projectId={projectId} onChange={setTarget} />}
        {type === 'grant' && <PermissionField permissions={permissions} projectId={projectId} onChange={setTarget} />}
        {action && <BatchPreview action={withoutTexts(action)} userIds={userIds} />}
        {type === 'delete' && (
          <TextInput
            label={
              <Trans>
                Type <strong>{phrase}</strong> to confirm
              </Trans>
            }
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={confirmation}
            onChange={(event) => setConfirmation(event.currentTarget.value)}
          />
        )}
        {batches?.isBusy && (
          <Text size="sm">
            <Trans>Another batch of this project has to end first.</Trans>
          </Text>
        )}
        {run.error !== undefined && <ErrorNote error={run.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            color={type === 'delete' || type === 'restrict' ? 'red' : undefined}
            disabled={!action || !isConfirmed || userIds.length === 0 || batches?.isBusy !== false}
          >
            {describeBatch(action ?? unfinished(type), userIds.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Target = { id: string; name: string } | null;

/** null while a field is missing. */
function actionOf(
  type: BatchAction['type'],
  { reason, target }: { reason: string | null; target: Target },
): BatchAction | null {
  switch (type) {
    case 'restrict':
      return { type, reason };
    case 'add-to-team':
      return target && { type, teamId: target.id, teamName: target.name };
    case 'grant':
      return target && { type, permissionId: target.id };
    default:
      return { type };
  }
}

const unfinished = (type: BatchAction['type']): BatchAction =>
  actionOf(type, { reason: null, target: { id: '', name: '' } }) ?? { type: 'lift' };

/** Every reason has the same effects, so the preview is not loaded again while it is typed. */
const withoutTexts = (action: BatchAction): BatchAction =>
  action.type === 'restrict' ? { ...action, reason: action.reason && '…' } : action;

type FieldProps = { projectId: string; onChange: (target: Target) => void };

function TeamField({ teams, projectId, onChange }: FieldProps & Pick<Props, 'teams'>) {
  const list = useResource(['teams', projectId], teams.list);
  return (
    <Select
      label={t`Team`}
      searchable
      limit={50}
      nothingFoundMessage={t`No team found`}
      comboboxProps={{ withinPortal: false }}
      data={(list.value ?? []).map((team) => ({ value: team.id, label: teamName(team) }))}
      error={list.error === undefined ? undefined : t`The teams could not be loaded`}
      onChange={(id, option) => onChange(id === null ? null : { id, name: option?.label ?? id })}
    />
  );
}

function PermissionField({ permissions, projectId, onChange }: FieldProps & Pick<Props, 'permissions'>) {
  const list = useResource(['permissions', projectId, 'project'], () => permissions.list('project'));
  return (
    <Select
      label={t`Project permission`}
      searchable
      nothingFoundMessage={t`No project permission found`}
      comboboxProps={{ withinPortal: false }}
      data={(list.value ?? []).map(({ id }) => id)}
      error={list.error === undefined ? undefined : t`The permissions could not be loaded`}
      onChange={(id) => onChange(id === null ? null : { id, name: id })}
    />
  );
}
