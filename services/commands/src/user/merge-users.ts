import { apiKeyDecider } from '@gatebook/domain/api-key/decide';
import type { ApiKey } from '@gatebook/domain/api-key/state';
import { type AuditedUser, evolveAuditedUser, initialState as noUser } from '@gatebook/domain/audit/user-fields';
import { reject } from '@gatebook/domain/errors';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { projectDecider } from '@gatebook/domain/project/decide';
import { roleOfMember } from '@gatebook/domain/project/members';
import { existingProject } from '@gatebook/domain/project/state';
import { providerGrantDecider } from '@gatebook/domain/provider-grant/decide';
import { teamDecider } from '@gatebook/domain/team/decide';
import { existingTeam } from '@gatebook/domain/team/state';
import type { UserCommand } from '@gatebook/domain/user/decide';
import type { UserEvent } from '@gatebook/domain/user/events';
import type { MergeSummary } from '@gatebook/domain/user/merge/items';
import type { MergingTeam, MergingUser } from '@gatebook/domain/user/merge/parts';
import { type MergePlan, planMerge } from '@gatebook/domain/user/merge/plan';
import type { UserState } from '@gatebook/domain/user/state';
import { ConcurrencyError, type StateFold } from '@gatebook/eventlog/port';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { type LoadedAggregate, transact, type UnitOfWork } from '../execute.ts';
import { passReservations } from '../reservation/pass-reservations.ts';
import { releasePasskey } from '../reservation/passkey.ts';
import { streamOf } from '../streams.ts';
import { completeEarlierErasure } from './delete-user.ts';
import { loadUser } from './load-user.ts';

type LoadedUser = LoadedAggregate<UserState, UserCommand>;
export type MergeInput = {
  /** The user who stays. */
  userId: string;
  /** The user who is deleted. */
  duplicateId: string;
  /** What the duplicate may have. The log decides whether it is so. */
  teamIds: readonly string[];
  apiKeyIds: readonly string[];
  projectIds: readonly string[];
};

const maxAttempts = 8;
/** A user changed between the reads of one decision. */
class ChangedMeanwhileError extends ConcurrencyError {}

/**
 * Gives a user everything of a duplicate and deletes the duplicate, at once (docs/decisions/0127). If a crash comes in
 * between, merging again completes it.
 * @throws DomainError USER_NOT_FOUND for either of them, USER_MERGE_WITH_ITSELF, USER_MERGE_OF_PROJECT_MEMBER
 */
export async function mergeUsers(
  deps: WriteDeps,
  ctx: Context,
  input: MergeInput,
): Promise<CommandResult<{ summary: MergeSummary }>> {
  const { duplicateId } = input;
  await completeEarlierErasure(deps, ctx, duplicateId);
  const at = deps.now();
  const newIds = new Map<string, string>();
  // A decision that is repeated must decide the same.
  function newChannelId(channelId: string): string {
    const id = newIds.get(channelId) ?? deps.newId();
    newIds.set(channelId, id);
    return id;
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { result: summary, position } = await transact(deps, ctx, (work) =>
        decideMerge(work, input, { newChannelId, at }),
      );
      await deps.eraseSubject(duplicateId);
      return { summary, position };
    } catch (error) {
      if (!(error instanceof ChangedMeanwhileError) || attempt === maxAttempts) throw error;
    }
  }
}

type Facts = { newChannelId: (channelId: string) => string; at: string };

/**
 * The order of the appends: first the user who stays gets everything, then unique values lead to them, last the
 * duplicate is deleted. After each prefix, nobody has lost anything, and merging again decides the rest.
 */
async function decideMerge(work: UnitOfWork, input: MergeInput, { newChannelId, at }: Facts): Promise<MergeSummary> {
  const { userId, duplicateId } = input;
  const kept = await loadUser(work, userId);
  const duplicate = await loadUser(work, duplicateId);
  await requireNoProjects(work, input);
  const plan = planMerge({
    kept: await readMergingUser(work, userId, kept),
    duplicate: await readMergingUser(work, duplicateId, duplicate),
    teams: await loadTeams(work, input),
    apiKeys: await loadApiKeys(work, input),
    newChannelId,
    at,
  });
  const grants = await loadGrants(work, duplicate.state);
  for (const command of plan.commands) kept.decide(command);
  await changeMemberships(work, userId, plan.memberships);
  for (const { grant, tokens } of grants) {
    for (const stored of tokens) grant.decide({ ...stored, userId, at });
  }
  await moveApiKeys(work, plan.apiKeyIds, { ownerId: userId, ownerRevision: Number(kept.revision), at });
  await passReservations(work, plan.reservations, { fromId: duplicateId, toId: userId, at });
  const passkey = duplicate.state.status === 'active' ? duplicate.state.passkey : null;
  duplicate.decide({ type: 'DeleteUser', addressRefs: [], mergedIntoId: userId, at });
  if (passkey !== null && plan.reservations.passkey === null) {
    await releasePasskey(work, { credentialId: passkey.credentialId, holderId: duplicateId, at });
  }
  return plan.summary;
}

async function changeMemberships(
  work: UnitOfWork,
  userId: string,
  memberships: MergePlan['memberships'],
): Promise<void> {
  for (const { teamId, commands } of memberships) {
    const member = await work.load(membershipDecider, streamOf.membership(teamId, userId));
    for (const command of commands) member.decide(command);
  }
}

async function moveApiKeys(
  work: UnitOfWork,
  keyIds: readonly string[],
  to: { ownerId: string; ownerRevision: number; at: string },
): Promise<void> {
  for (const keyId of keyIds) {
    const key = await work.load(apiKeyDecider, streamOf.apiKey(keyId));
    key.decide({ type: 'MoveApiKey', ...to });
  }
}

/** A project must not lose an owner, and roles are given by its owners. @throws USER_MERGE_OF_PROJECT_MEMBER */
async function requireNoProjects(work: UnitOfWork, { duplicateId, projectIds }: MergeInput): Promise<void> {
  for (const projectId of projectIds) {
    const { state } = await work.load(projectDecider, streamOf.project(projectId));
    const project = existingProject(state);
    if (project && roleOfMember(project, duplicateId) !== null) reject('USER_MERGE_OF_PROJECT_MEMBER');
  }
}

/** Also the fields that no other decision depends on, which are not remembered. */
async function readMergingUser({ deps }: UnitOfWork, userId: string, loaded: LoadedUser): Promise<MergingUser> {
  const { state: user, revision } = loaded;
  if (user.status !== 'active') return reject('USER_NOT_FOUND');
  const stream = streamOf.user(userId);
  const fold: StateFold<AuditedUser, UserEvent> = { initialState: noUser, evolve: evolveAuditedUser };
  const found = await deps.store.foldStream(stream, fold, { isIgnored: () => false });
  if (found.revision !== revision) throw new ChangedMeanwhileError(stream);
  return { user, profile: found.state.profile };
}

/** Also teams that await deletion: they can be restored. */
async function loadTeams(work: UnitOfWork, { userId, duplicateId, teamIds }: MergeInput): Promise<MergingTeam[]> {
  const found = await Promise.all(
    teamIds.map(async (teamId) => {
      const team = await work.load(teamDecider, streamOf.team(teamId));
      if (existingTeam(team.state)?.projectId !== work.ctx.projectId) return [];
      const { state: duplicate } = await work.load(membershipDecider, streamOf.membership(teamId, duplicateId));
      if (duplicate.status === 'none') return [];
      const { state: kept } = await work.load(membershipDecider, streamOf.membership(teamId, userId));
      return [{ teamId, duplicate, kept }];
    }),
  );
  return found.flat();
}

async function loadApiKeys(work: UnitOfWork, { duplicateId, apiKeyIds }: MergeInput): Promise<ApiKey[]> {
  const found = await Promise.all(apiKeyIds.map((keyId) => work.load(apiKeyDecider, streamOf.apiKey(keyId))));
  return found.flatMap(({ state }) => {
    if (state.status === 'absent' || state.projectId !== work.ctx.projectId) return [];
    return state.ownerType === 'user' && state.ownerId === duplicateId ? [state] : [];
  });
}

/** Tokens that providers issued for the duplicate, oldest first. They are stored again, for the user who stays. */
async function loadGrants(work: UnitOfWork, duplicate: UserState) {
  const { projectId } = work.ctx;
  if (duplicate.status !== 'active') return [];
  const { userId: duplicateId, oauthAccounts } = duplicate;
  return Promise.all(
    oauthAccounts.map(async ({ accountRef, provider }) => {
      const grant = await work.load(providerGrantDecider, streamOf.providerGrant(accountRef));
      const { state } = grant;
      const stored = state.status === 'stored' && state.userId === duplicateId ? state.grants : [];
      const tokens = stored.toReversed().map(({ scopes, ...issued }) => {
        return { type: 'StoreTokens' as const, accountRef, projectId, provider, scopes: [...scopes], ...issued };
      });
      return { grant, tokens };
    }),
  );
}
