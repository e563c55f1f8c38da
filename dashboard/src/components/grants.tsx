import {
  containedThrough,
  type PermissionDefinition,
  type PermissionHolder,
  type PermissionsClient,
} from '@gatebook/js/permissions';
import { useAction } from '@gatebook/react/use-action';
import { useResource } from '@gatebook/react/use-resource';
import { Switch } from '@mantine/core';
import { Row, Rows } from './rows.tsx';
import { ErrorNote } from './states.tsx';

type Props = {
  permissions: PermissionsClient;
  projectId: string;
  holder: PermissionHolder;
  /** Runs after each change. */
  onChanged?: () => Promise<void>;
  empty?: React.ReactNode;
};

/** What somebody may do: granted directly by a switch each, and what comes along with that. */
export function Grants({ permissions, projectId, holder, onChanged, empty = 'No permissions are defined.' }: Props) {
  const scope = holder.teamId === null ? 'project' : 'team';
  const definitions = useResource(['permissions', projectId, scope], () => permissions.list(scope));
  const granted = useResource(['grants', projectId, holder.teamId ?? '', holder.userId], () =>
    permissions.listGrants(holder),
  );
  const change = useAction(async (id: string, isGranted: boolean) => {
    await (isGranted ? permissions.grant(holder, id) : permissions.revoke(holder, id));
    await Promise.all([granted.refresh(), onChanged?.()]);
  });
  const list = {
    value: granted.value && definitions.value,
    error: definitions.error ?? granted.error,
    isFetching: definitions.isFetching || granted.isFetching,
    refresh: async () => {
      await Promise.all([definitions.refresh(), granted.refresh()]);
    },
  };
  const through = throughOf(definitions.value ?? [], granted.value ?? []);
  return (
    <>
      {change.error !== undefined && <ErrorNote error={change.error} />}
      <Rows list={list} label="Loading permissions" empty={empty}>
        {({ id, description }) => (
          <Row
            key={id}
            small={description || undefined}
            actions={
              <Switch
                aria-label={`Grant ${id}`}
                checked={granted.value?.includes(id) ?? false}
                disabled={change.isRunning}
                onChange={(event) => void change.run(id, event.currentTarget.checked)}
              />
            }
          >
            <code>{id}</code>
            {through.has(id) && !granted.value?.includes(id) && ` (through ${through.get(id)})`}
          </Row>
        )}
      </Rows>
    </>
  );
}

/** Of everything that comes with a grant, the grant that it comes with. */
function throughOf(definitions: readonly PermissionDefinition[], granted: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const id of granted) {
    for (const contained of containedThrough(definitions, id).keys())
      if (!found.has(contained)) found.set(contained, id);
  }
  return found;
}
