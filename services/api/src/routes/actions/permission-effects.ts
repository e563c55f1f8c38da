import type { PreviewEffect } from '@gatebook/contract/previews';
import type { AuditedUser } from '@gatebook/domain/audit/user-fields';
import type { MembershipState } from '@gatebook/domain/membership/state';
import type { PermissionDefinition, PermissionScope } from '@gatebook/domain/permission/definition';
import { compareIds, type Definitions, expandPermissions, idsOf } from '@gatebook/domain/permission/effective';
import type { ProjectState } from '@gatebook/domain/project/state';
import { existingUser } from '@gatebook/domain/user/state';
import { groupHoldersByGrants, type Holder, type HolderGroup } from '@gatebook/readmodel/permissions/holders';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { StreamChange } from './changes.ts';

type Scope = Pick<Deps, 'db'> & Pick<Caller, 'projectId' | 'project'>;

/** People named with each permission that is gained or lost. */
const maxPeople = 100;

/** Permission IDs that people have in effect, before and after. */
type Effective = { before: readonly string[]; after: readonly string[]; count: number; holders: readonly Holder[] };

/** Who gains and loses which permission, and how many grants have no effect any more. */
export async function permissionEffects(scope: Scope, changes: readonly StreamChange[]): Promise<PreviewEffect[]> {
  const project = changes.find(({ stream }) => stream.startsWith('project-'));
  const [before, after] = [definitionsOf(project?.before), definitionsOf(project?.after)];
  const single = changes.flatMap((change) => effectOnHolder(change, scope.project.permissions));
  if (before === null || after === null || JSON.stringify(before) === JSON.stringify(after)) return listChanges(single);
  const deleted = before.filter(({ key }) => after.every((definition) => definition.key !== key));
  const groups = await Promise.all(
    (['team', 'project'] as const).map((kind) => groupsOf(scope, kind, [...before, ...after])),
  );
  const changed = groups.flat().map(({ keys, count, holders }) => {
    const idsWith = (definitions: Definitions) => idsOf(definitions, expandPermissions(definitions, keys));
    return { before: idsWith(before), after: idsWith(after), count, holders };
  });
  return [...voidGrants(deleted, groups.flat()), ...listChanges([...changed, ...single])];
}

const definitionsOf = (state: unknown): Definitions | null => {
  const project = state as ProjectState | undefined;
  return project?.status === 'active' ? project.permissions : null;
};

const groupsOf = ({ db, projectId }: Scope, scope: PermissionScope, definitions: Definitions) =>
  definitions.some((definition) => definition.scope === scope)
    ? groupHoldersByGrants(db, projectId, { scope, limit: maxPeople })
    : [];

/** A user or a member whose own grants change. */
function effectOnHolder({ stream, before, after }: StreamChange, definitions: Definitions): Effective[] {
  const idsWith = (keys: ReadonlySet<string>) => idsOf(definitions, expandPermissions(definitions, keys));
  const of = (holder: Holder, keysOf: (state: unknown) => ReadonlySet<string>): Effective[] => [
    { before: idsWith(keysOf(before)), after: idsWith(keysOf(after)), count: 1, holders: [holder] },
  ];
  const [category = '', id = ''] = [stream.slice(0, stream.indexOf('-')), stream.slice(stream.indexOf('-') + 1)];
  if (category === 'user') {
    const user = existingUser((after as AuditedUser).user);
    const displayName = user?.displayName ?? null;
    return of({ userId: id, teamId: null, displayName }, (state) => keysOfUser(state as AuditedUser));
  }
  if (category !== 'membership') return [];
  const [teamId = null, userId = ''] = id.split('.');
  return of({ userId, teamId, displayName: null }, (state) => keysOfMember(state as MembershipState));
}

const keysOfUser = ({ user }: AuditedUser) => (user.status === 'active' ? user.permissions : new Set<string>());
const keysOfMember = (member: MembershipState) => (member.status === 'member' ? member.permissions : new Set<string>());

function voidGrants(deleted: readonly PermissionDefinition[], groups: readonly HolderGroup[]): PreviewEffect[] {
  const voided = groups
    .flatMap(({ keys, count }) => keys.map((key) => ({ key, count })))
    .filter(({ key }) => deleted.some((definition) => definition.key === key));
  const count = voided.reduce((sum, grants) => sum + grants.count, 0);
  if (count === 0) return [];
  const text = count === 1 ? '1 grant has no effect any more' : `${count} grants have no effect any more`;
  return [{ kind: 'grants_void', count, text, permission_id: null, people: null }];
}

function listChanges(effective: readonly Effective[]): PreviewEffect[] {
  return (['permission_lost', 'permission_gained'] as const).flatMap((kind) => {
    const isLoss = kind === 'permission_lost';
    const byPermission = new Map<string, { count: number; holders: Holder[] }>();
    for (const { before, after, count, holders } of effective) {
      const [one, other] = isLoss ? [before, after] : [after, before];
      for (const id of one.filter((permission) => !other.includes(permission))) {
        const found = byPermission.get(id) ?? { count: 0, holders: [] };
        byPermission.set(id, { count: found.count + count, holders: [...found.holders, ...holders] });
      }
    }
    const sorted = [...byPermission].sort(([one], [other]) => compareIds(one, other));
    return sorted.map(
      ([id, { count, holders }]): PreviewEffect => ({
        kind,
        count,
        text: `${count === 1 ? '1 person' : `${count} people`} ${verb(isLoss, count)} ${id}`,
        permission_id: id,
        people: holders.slice(0, maxPeople).map(({ userId, teamId, displayName }) => {
          return { user_id: userId, team_id: teamId, display_name: displayName };
        }),
      }),
    );
  });
}

const verb = (isLoss: boolean, count: number) => `${isLoss ? 'lose' : 'gain'}${count === 1 ? 's' : ''}`;
