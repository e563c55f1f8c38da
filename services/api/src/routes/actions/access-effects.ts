import { readState } from '@gatebook/commands/execute';
import { streamOf } from '@gatebook/commands/streams';
import type { EffectKind, PreviewEffect } from '@gatebook/contract/previews';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { expandPermissions } from '@gatebook/domain/permission/effective';
import type { ActiveProject, ProjectState } from '@gatebook/domain/project/state';
import { type ComparedHolders, findHoldersOnlyIn, type Holders } from '@gatebook/readmodel/projects/members';
import { listProjectKeys } from '@gatebook/readmodel/projects/queries';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import type { StreamChange } from './changes.ts';
import { effectTexts } from './effect-texts.ts';
import { maxPeople, noPermission } from './permission-effects.ts';

type Scope = Pick<Deps, 'db' | 'store' | 'now'> & { caller: Caller; language: TextLanguage };

/** Who gains and loses access to a project, and how many of its keys keep working for those who lose it. */
export async function accessEffects(scope: Scope, changes: readonly StreamChange[]): Promise<PreviewEffect[]> {
  const project = changes.find(({ stream }) => stream.startsWith('project-'));
  const [before, after] = [activeProject(project?.before), activeProject(project?.after)];
  if (before === null || after === null) return [];
  const [had, has] = [holdersOf(before), holdersOf(after)];
  if (JSON.stringify(had) === JSON.stringify(has)) return [];
  const effect = (kind: EffectKind, count: number): PreviewEffect[] =>
    count === 0 ? [] : [{ kind, count, text: effectTexts[scope.language][kind](count, ''), ...noPermission }];
  const keys = effect('keys_kept', await countKeys(scope, after.projectId));
  // The people who lose access are those who are not members of the team.
  if (!(await mayReadMembers(scope, has.teamId))) return [...effect('access_of_team', 1), ...keys];
  const [lost, gained] = await Promise.all([
    findHoldersOnlyIn(scope.db, { these: had, those: has, limit: maxPeople }),
    findHoldersOnlyIn(scope.db, { these: has, those: had, limit: maxPeople }),
  ]);
  const withPeople = (effects: PreviewEffect[], found: ComparedHolders) =>
    scope.caller.accessType === 'server' ? effects : effects.map((one) => ({ ...one, ...peopleOf(found) }));
  return [
    ...withPeople(effect('access_lost', lost.count), lost),
    ...withPeople(effect('access_gained', gained.count), gained),
    ...(lost.count > 0 ? keys : []),
  ];
}

function activeProject(state: unknown): ActiveProject | null {
  const project = state as ProjectState | null | undefined;
  return project?.status === 'active' ? project : null;
}

const holdersOf = ({ owners, members, ownerTeamId }: ActiveProject): Holders => ({
  userIds: [...owners.keys(), ...members.keys()].sort(),
  teamId: ownerTeamId,
});

const peopleOf = ({ count, people }: ComparedHolders) => ({
  people: people.map(({ userId, displayName }) => ({ user_id: userId, team_id: null, display_name: displayName })),
  has_more_people: count > people.length,
});

/** A member sees the other members of the team only with `$read_members`, as everywhere with client access. */
async function mayReadMembers({ store, caller }: Scope, teamId: string | null): Promise<boolean> {
  const { accessType, user, project } = caller;
  if (accessType !== 'client' || teamId === null) return true;
  if (user === null) return false;
  const { state } = await readState(store, membershipDecider, streamOf.membership(teamId, user.id));
  return state.status === 'member' && expandPermissions(project.permissions, state.permissions).has('$read_members');
}

async function countKeys({ db, now }: Scope, projectId: string): Promise<number> {
  const at = Date.parse(now());
  const keys = await listProjectKeys(db, projectId);
  return keys.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > at).length;
}
