import {
  callOfGrant,
  containedThrough,
  type ExplanationsClient,
  type PermissionDefinition,
  type PermissionHolder,
  type PermissionsClient,
} from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Switch } from '@mantine/core';
import { describePermission } from '../lib/permission-description.ts';
import { SaveBar } from './drafts/save-bar.tsx';
import { useDraft } from './drafts/use-draft.ts';
import { WhyButton } from './explanations/why-button.tsx';
import { Row, Rows } from './rows.tsx';
import { Writing } from './writing.tsx';

export type GrantsProps = {
  permissions: PermissionsClient;
  projectId: string;
  holder: PermissionHolder;
  explanations: Pick<ExplanationsClient, 'permission'>;
  /** Runs after each change. */
  onChanged?: () => Promise<void>;
  empty?: React.ReactNode;
};

/** One switch per permission. Those contained in a granted one are on, and name it; they end with it. */
export function Grants({
  permissions,
  projectId,
  holder,
  explanations,
  onChanged,
  empty = t`No permissions defined`,
}: GrantsProps) {
  const scope = holder.teamId === null ? 'project' : 'team';
  const definitions = useResource(['permissions', projectId, scope], () => permissions.list(scope));
  const granted = useResource(['grants', projectId, holder.teamId ?? '', holder.userId], () =>
    permissions.listGrants(holder),
  );
  const list = {
    value: granted.value && definitions.value,
    error: definitions.error ?? granted.error,
    isFetching: definitions.isFetching || granted.isFetching,
    refresh: async () => {
      await Promise.all([definitions.refresh(), granted.refresh()]);
    },
  };
  const ids = definitions.value?.map(({ id }) => id) ?? [];
  const draft = useDraft(
    mapOf(ids, (id) => granted.value?.includes(id) ?? false),
    mapOf(ids, (id) => ({ label: id })),
  );
  const inherited = findInherited(
    definitions.value ?? [],
    ids.filter((id) => draft.values[id]),
  );
  const changes = Object.entries(draft.changes);
  return (
    <>
      <Rows list={list} label={t`Loading permissions`} empty={empty}>
        {(definition) => {
          const { id } = definition;
          const isGranted = draft.values[id] ?? false;
          const through = isGranted ? undefined : inherited.get(id);
          return (
            <Row
              key={id}
              small={describePermission(definition) || undefined}
              details={
                <WhyButton
                  explanations={explanations}
                  projectId={projectId}
                  permissionId={id}
                  {...holder}
                  onGrant={(granted) => draft.set(granted, true)}
                />
              }
              actions={
                <Writing needs="developer">
                  <Switch
                    aria-label={t`Grant ${id}`}
                    checked={isGranted || through !== undefined}
                    disabled={through !== undefined}
                    onChange={(event) => draft.set(id, event.currentTarget.checked)}
                  />
                </Writing>
              }
            >
              <code>{id}</code>
              {through !== undefined && t` (through ${through})`}
            </Row>
          );
        }}
      </Rows>
      <SaveBar
        draft={draft}
        calls={changes.map(([id, isGranted]) => callOfGrant(holder, id, isGranted === true))}
        save={async () => {
          for (const [id, isGranted] of changes) {
            await (isGranted ? permissions.grant(holder, id) : permissions.revoke(holder, id));
          }
          await Promise.all([granted.refresh(), onChanged?.()]);
        }}
      />
    </>
  );
}

const mapOf = <Value,>(ids: readonly string[], toValue: (id: string) => Value): Record<string, Value> =>
  Object.fromEntries(ids.map((id) => [id, toValue(id)]));

/** Maps each permission that the user has indirectly to the granted permission that contains it. */
function findInherited(definitions: readonly PermissionDefinition[], granted: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const id of granted) {
    for (const contained of containedThrough(definitions, id).keys())
      if (!found.has(contained)) found.set(contained, id);
  }
  return found;
}
