import type { PreviewEffect } from '@gatebook/contract/previews';
import type { AuditedUser } from '@gatebook/domain/audit/user-fields';
import type { MembershipState } from '@gatebook/domain/membership/state';
import type { PermissionDefinition } from '@gatebook/domain/permission/definition';
import {
  compareIds,
  type Definitions,
  expandPermissions,
  idsOf,
  withSystemPermissions,
} from '@gatebook/domain/permission/effective';
import type { ProjectState } from '@gatebook/domain/project/state';
import { existingUser } from '@gatebook/domain/user/state';
import { countGrants, type FoundHolders, findHolders, type Holder } from '@gatebook/readmodel/permissions/holders';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import type { StreamChange } from './changes.ts';
import { type EffectTexts, effectTexts } from './effect-texts.ts';

type Scope = Pick<Deps, 'db'> & Pick<Caller, 'projectId' | 'project'> & { language: TextLanguage };

/** For effects that are not about a permission. */
export const noPermission = { permission_id: null, people: null, has_more_people: false } as const;

/** People named with each effect. */
export const maxPeople = 100;

type EffectPart = FoundHolders & { kind: 'permission_lost' | 'permission_gained'; permissionId: string };

/** Who gains and loses which permission, and how many grants have no effect any more. */
export async function permissionEffects(scope: Scope, changes: readonly StreamChange[]): Promise<PreviewEffect[]> {
  const project = changes.find(({ stream }) => stream.startsWith('project-'));
  const [before, after] = [definitionsOf(project?.before), definitionsOf(project?.after)];
  const texts = effectTexts[scope.language];
  const single = changes.flatMap((change) => effectOnHolder(change, scope.project.permissions));
  if (before === null || after === null || JSON.stringify(before) === JSON.stringify(after))
    return toEffects(texts, single);
  const deleted = before.filter(({ key }) => after.every((definition) => definition.key !== key));
  const [voided, changed] = await Promise.all([voidGrants(scope, deleted), effectsOnAllHolders(scope, before, after)]);
  return [...voided, ...toEffects(texts, [...changed, ...single])];
}

const definitionsOf = (state: unknown): Definitions | null => {
  const project = state as ProjectState | undefined;
  return project?.status === 'active' ? project.permissions : null;
};

const scopesOf = (definitions: Definitions) =>
  (['team', 'project'] as const).filter((scope) => definitions.some((definition) => definition.scope === scope));

/**
 * Everyone with grants. What grants give in effect is the union of what each of them gives, so someone loses a
 * permission who has a key that gave it, and none that still gives it.
 */
async function effectsOnAllHolders(
  { db, projectId }: Scope,
  before: Definitions,
  after: Definitions,
): Promise<EffectPart[]> {
  const keys = new Set([...withSystemPermissions(before), ...withSystemPermissions(after)].map(({ key }) => key));
  const grants = [...keys].map((key) => ({ key, before: idsWith(before, [key]), after: idsWith(after, [key]) }));
  const keysGiving = (when: 'before' | 'after', id: string) =>
    grants.filter((grant) => grant[when].includes(id)).map(({ key }) => key);
  const ids = new Set(grants.flatMap((grant) => [...grant.before, ...grant.after]));
  const differences = [...ids].flatMap((permissionId) => {
    const [had, has] = [keysGiving('before', permissionId), keysGiving('after', permissionId)];
    return [
      { kind: 'permission_lost' as const, permissionId, having: had, lacking: has },
      { kind: 'permission_gained' as const, permissionId, having: has, lacking: had },
    ].filter(({ having, lacking }) => having.some((key) => !lacking.includes(key)));
  });
  const found = await Promise.all(
    scopesOf([...before, ...after]).map((scope) =>
      findHolders(db, projectId, { scope, sought: differences, limit: maxPeople }),
    ),
  );
  return found.flatMap((ofScope) =>
    differences.flatMap(({ kind, permissionId }, nth) => {
      const holders = ofScope[nth];
      return holders ? [{ kind, permissionId, ...holders }] : [];
    }),
  );
}

const idsWith = (definitions: Definitions, keys: Iterable<string>) =>
  idsOf(definitions, expandPermissions(definitions, keys));

/** A user or a member whose own grants change. */
function effectOnHolder({ stream, before, after }: StreamChange, definitions: Definitions): EffectPart[] {
  const of = (holder: Holder, keysOf: (state: unknown) => ReadonlySet<string>): EffectPart[] => {
    const [had, has] = [before, after].map((state) => idsWith(definitions, keysOf(state)));
    const onlyIn = (one: readonly string[] = [], other: readonly string[] = []) =>
      one.filter((id) => !other.includes(id)).map((permissionId) => ({ permissionId, count: 1, holders: [holder] }));
    return [
      ...onlyIn(had, has).map((part) => ({ kind: 'permission_lost' as const, ...part })),
      ...onlyIn(has, had).map((part) => ({ kind: 'permission_gained' as const, ...part })),
    ];
  };
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

async function voidGrants(
  { db, projectId, language }: Scope,
  deleted: readonly PermissionDefinition[],
): Promise<PreviewEffect[]> {
  const keys = deleted.map(({ key }) => key);
  const counts = await Promise.all(scopesOf(deleted).map((scope) => countGrants(db, projectId, { scope, keys })));
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return [];
  const text = effectTexts[language].grants_void(count, '');
  return [{ kind: 'grants_void', count, text, ...noPermission }];
}

function toEffects(texts: EffectTexts, parts: readonly EffectPart[]): PreviewEffect[] {
  return (['permission_lost', 'permission_gained'] as const).flatMap((kind) => {
    const byPermission = Map.groupBy(
      parts.filter((part) => part.kind === kind && part.count > 0),
      ({ permissionId }) => permissionId,
    );
    const sorted = [...byPermission].sort(([one], [other]) => compareIds(one, other));
    return sorted.map(([id, found]): PreviewEffect => {
      const count = found.reduce((sum, part) => sum + part.count, 0);
      const people = found.flatMap(({ holders }) => holders).slice(0, maxPeople);
      return {
        kind,
        count,
        text: texts[kind](count, id),
        permission_id: id,
        people: people.map(({ userId, teamId, displayName }) => {
          return { user_id: userId, team_id: teamId, display_name: displayName };
        }),
        has_more_people: count > people.length,
      };
    });
  });
}
