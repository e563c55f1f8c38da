import type {
  PermissionsClient,
  TeamsClient,
  UserBatchAction,
  UserBatchPreview,
  UserBatchSelection,
  UserCount,
  UserFilters,
} from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction, useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { type BatchType, describeBatch, locksOut } from '../../components/batches/batch.ts';
import { BatchDialogEnd } from '../../components/batches/batch-dialog-end.tsx';
import { BatchPreview } from '../../components/batches/batch-preview.tsx';
import { ErrorNote, RowsLoading } from '../../components/states.tsx';
import { type Batches, useBatches } from '../../lib/batches.ts';
import { teamName } from '../../lib/team-name.ts';
import type { Selected, SelectionState } from './use-selection.ts';

/** Whose users, and what actions on them need. */
export type BatchParts = {
  state: SelectionState;
  teams: Pick<TeamsClient, 'list'>;
  permissions: Pick<PermissionsClient, 'list'>;
  projectId: string;
  /** The filters of the list, at the moment of the call. */
  filters: () => UserFilters;
  /** How many users match; null if that is not known. */
  total: UserCount | null;
};
type Props = BatchParts & { type: BatchType | null; onClose: () => void };

/** Shows what an action does to the selected users, and starts it. */
export function BatchDialog({ type, onClose, ...parts }: Props) {
  // Keeps its content while it closes.
  const last = useRef(type);
  if (type !== null) last.current = type;
  return (
    <Modal opened={type !== null} onClose={onClose} title={last.current && titles[last.current]}>
      {last.current && <BatchForm type={last.current} onClose={onClose} {...parts} />}
    </Modal>
  );
}

const titles: Readonly<Record<BatchType, string>> = {
  restrict: t`Restrict users`,
  lift_restriction: t`Lift restrictions`,
  sign_out: t`Sign out everywhere`,
  add_to_team: t`Add to team`,
  grant_permission: t`Grant permission`,
  delete: t`Delete users`,
};

type FormProps = Omit<Props, 'type'> & { type: BatchType };

const explanations: Partial<Record<BatchType, string>> = {
  restrict: t`Signs the users out of all sessions immediately. They cannot sign in, and their API keys do not work.`,
  lift_restriction: t`The users can sign in again, and their API keys work again. Sessions that ended stay ended.`,
  sign_out: t`Ends all sessions of the users immediately. They can sign in again.`,
  add_to_team: t`The users get the default permissions of members.`,
  delete: t`Ends all sessions immediately. If the project has a grace period, you can restore the users until it ends. Then the accounts are erased.`,
};

function BatchForm({ type, state, teams, permissions, projectId, filters, total, onClose }: FormProps) {
  const batches = useBatches();
  const [{ selected, selection }] = useState(() => selectionOf(state, filters));
  const [reason, setReason] = useState('');
  const [target, setTarget] = useState<Target>(null);
  const [confirmation, setConfirmation] = useState('');
  const action = actionOf(type, { reason: reason.trim() || null, target });
  const preview = usePreview(batches, action, selection);
  const count = preview.value?.count ?? (selected.kind === 'some' ? selected.users.size : (total?.count ?? 0));
  const phrase = t`delete ${plural(count, { one: '# user', other: '# users' })}`;
  const run = useAction(async () => {
    if (!action || !batches || !preview.value) return;
    try {
      await batches.start(action, selection, preview.value.count);
    } catch (error) {
      if (isKnownError(error, 'USER_BATCH_OUTDATED')) await preview.refresh();
      throw error;
    }
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
        {locksOut.has(type) && isAmong(selected, projectId, batches?.ownerId ?? null) && (
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
        {type === 'add_to_team' && <TeamField teams={teams} projectId={projectId} onChange={setTarget} />}
        {type === 'grant_permission' && (
          <PermissionField permissions={permissions} projectId={projectId} onChange={setTarget} />
        )}
        {action && preview.error !== undefined && <ErrorNote error={preview.error} />}
        {action && !preview.value && preview.error === undefined && <RowsLoading rows={2} label={t`Loading preview`} />}
        {action && preview.value && <BatchPreview preview={preview.value} />}
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
        <BatchDialogEnd
          submitLabel={describeBatch(
            { type, teamName: target?.name ?? null, permissionId: target?.name ?? null },
            count,
          )}
          color={type === 'delete' || type === 'restrict' ? 'red' : undefined}
          isReady={action !== null && isConfirmed && preview.value != null && count > 0}
          action={run}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

/** Fixed when the dialog opens, so that the action changes what the owner saw. */
function selectionOf({ selected }: SelectionState, filters: () => UserFilters) {
  const selection: UserBatchSelection =
    selected.kind === 'some' ? { userIds: [...selected.users.keys()] } : { filters: filters() };
  return { selected, selection };
}

/** Whether the owner, who is a user of the project `internal`, is selected. */
const isAmong = (selected: Selected, projectId: string, ownerId: string | null): boolean =>
  ownerId !== null && (selected.kind === 'some' ? selected.users.has(ownerId) : projectId === 'internal');

/** Nothing before the action is complete. */
function usePreview(batches: Batches | null, action: UserBatchAction | null, selection: UserBatchSelection) {
  const [openedAt] = useState(() => Date.now());
  const previewed = action && withoutTexts(action);
  return useResource<UserBatchPreview | null>(
    ['batch-preview', String(openedAt), JSON.stringify(previewed)],
    async () => (batches && previewed ? batches.preview(previewed, selection) : null),
  );
}

type Target = { id: string; name: string } | null;

/** null while a field is missing. */
function actionOf(
  type: BatchType,
  { reason, target }: { reason: string | null; target: Target },
): UserBatchAction | null {
  switch (type) {
    case 'restrict':
      return { type, reason };
    case 'add_to_team':
      return target && { type, teamId: target.id };
    case 'grant_permission':
      return target && { type, permissionId: target.id };
    default:
      return { type };
  }
}

/** Every reason has the same effects, so the preview is not loaded again while it is typed. */
const withoutTexts = (action: UserBatchAction): UserBatchAction =>
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
