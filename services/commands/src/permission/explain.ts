import type { Decider } from '@gatebook/domain/decider';
import { reject } from '@gatebook/domain/errors';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { type Explanation, explainPermission as explain } from '@gatebook/domain/permission/explain';
import type { FactTracker } from '@gatebook/domain/permission/facts';
import {
  projectPermissionHistory,
  teamPermissionHistory,
  trackDefinitions,
  trackMembership,
  trackUser,
} from '@gatebook/domain/permission/history';
import { projectDecider } from '@gatebook/domain/project/decide';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import type { EventStore } from '@gatebook/eventlog/port';
import { streamOf } from '../streams.ts';

/** The present; otherwise the position in the log, or the time (ISO) of the log's clock, up to which events count. */
export type Moment = 'now' | bigint | string;

const isLater = ({ position, committedAt }: Recorded, moment: Moment): boolean => {
  if (moment === 'now') return false;
  return typeof moment === 'bigint' ? position > moment : committedAt > moment;
};

export type PermissionQuestion = {
  projectId: string;
  userId: string;
  permissionId: string;
  teamId: string | null;
  moment: Moment;
};
/** `isComplete`: no stream was too long to find all causes. */
export type ExplainedPermission = Explanation & { isComplete: boolean };

/** Events of one stream whose causes are noted, in less than a second. */
const maxEvents = 20_000;

/**
 * Explains a permission by the streams that decide about it: of the user or the membership, and of the project.
 * @throws DomainError USER_NOT_FOUND, TEAM_NOT_FOUND, also for those of another project; PERMISSION_NOT_FOUND,
 * WRONG_PERMISSION_SCOPE
 */
export async function explainPermission(
  store: EventStore,
  { projectId, userId, permissionId, teamId, moment }: PermissionQuestion,
  limit = maxEvents,
): Promise<ExplainedPermission> {
  const follow = <S, C, E extends DomainEvent, N extends string>(
    tracker: FactTracker<S, N>,
    decider: Decider<S, C, E>,
    stream: string,
  ) => followStream(store, { tracker, decider, stream, moment, limit });
  const user = trackUser();
  const project = trackDefinitions();
  const isComplete = [await follow(project, projectDecider, streamOf.project(projectId))];
  if (teamId === null) {
    isComplete.push(await follow(user, userDecider, streamOf.user(userId)));
    requireUser(user.state(), projectId);
    const explanation = explain(projectPermissionHistory(project, user), permissionId);
    return { ...explanation, isComplete: !isComplete.includes(false) };
  }
  requireUser(await stateAt(store, userDecider, streamOf.user(userId), moment), projectId);
  const team = await stateAt(store, teamDecider, streamOf.team(teamId), moment);
  if (team.status !== 'active' || team.projectId !== projectId) reject('TEAM_NOT_FOUND', { team_id: teamId });
  const membership = trackMembership();
  isComplete.push(await follow(membership, membershipDecider, streamOf.membership(teamId, userId)));
  const explanation = explain(teamPermissionHistory(project, membership), permissionId);
  return { ...explanation, isComplete: !isComplete.includes(false) };
}

function requireUser(state: { status: string; projectId?: string }, projectId: string): void {
  if (state.status !== 'active' || state.projectId !== projectId) reject('USER_NOT_FOUND');
}

/** The explanation needs no names and no images. */
const unneeded = { personal: true, large: true };

type Followed<S, C, E, N extends string> = {
  tracker: FactTracker<S, N>;
  decider: Decider<S, C, E & DomainEvent>;
  stream: string;
  moment: Moment;
  limit: number;
};

/** Notes the causes in the first events of a stream, and of the others only the outcome. @returns whether it was all */
async function followStream<S, C, E extends DomainEvent, N extends string>(
  store: EventStore,
  { tracker, decider, stream, moment, limit }: Followed<S, C, E, N>,
): Promise<boolean> {
  let applied = 0;
  for await (const page of store.readStreamPages(stream, unneeded)) {
    for (const event of page) {
      if (isLater(event, moment)) return true;
      if (applied === limit) {
        tracker.skipTo(await stateAt(store, decider, stream, moment));
        return false;
      }
      tracker.apply(event);
      applied += 1;
    }
  }
  return true;
}

async function stateAt<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
  moment: Moment,
): Promise<S> {
  if (moment === 'now') return (await store.foldStream(stream, decider)).state;
  let state = decider.initialState;
  for await (const page of store.readStreamPages(stream, unneeded)) {
    for (const event of page) {
      if (isLater(event, moment)) return state;
      state = decider.evolve(state, event as unknown as E);
    }
  }
  return state;
}
