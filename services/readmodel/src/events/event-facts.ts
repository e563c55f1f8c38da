import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import { evolveProject, initialState as noProject, type ProjectState } from '@gatebook/domain/project/state';
import { existingUser } from '@gatebook/domain/user/state';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadDb } from '../read-db.ts';
import { type Facts, needsOf } from './event-data.ts';
import { createFold, foldAll, type StreamStore, type Wanted } from './folded-streams.ts';
import { listTeamsBefore } from './holdings.ts';
import type { Slot } from './slot.ts';
import { teamFold, userFold } from './user-data.ts';

export type FactParts = { db: ReadDb; store: StreamStore & Pick<EventStore, 'readAt'> };

const projectFold = createFold<ProjectState>(noProject, (state, event) =>
  evolveProject(state, event as unknown as ProjectEvent),
);

const active = <State extends { status: string }>(state: State | undefined) =>
  state?.status === 'active' ? (state as Extract<State, { status: 'active' }>) : null;

/** What the data of these events is made of; null for an event that the log does not have. */
export async function readFacts(
  { db, store }: FactParts,
  projectId: string,
  slots: readonly Slot[],
): Promise<(Facts | null)[]> {
  const needs = slots.map(({ type, row }) => needsOf(type, row.kind));
  const wantedIf = (nth: number, isNeeded: boolean | undefined, stream: string, position: bigint): Wanted =>
    isNeeded && slots[nth] ? { stream, position } : null;
  const [events, users, projects] = await Promise.all([
    store.readAt([...new Set(slots.map(({ row }) => row.position))], { large: true }),
    foldAll(
      store,
      userFold,
      slots.map(({ userId, row }, nth) => wantedIf(nth, needs[nth]?.user, `user-${userId}`, row.asOf)),
    ),
    foldAll(
      store,
      projectFold,
      slots.map(({ row: { asOf } }, nth) =>
        wantedIf(nth, needs[nth]?.project, `project-${projectId}`, needs[nth]?.isProjectBefore ? asOf - 1n : asOf),
      ),
    ),
  ]);
  const selected = slots.map(({ userId, row: { asOf } }, nth) => {
    const teamId = needs[nth]?.selectedTeam ? existingUser(users[nth]?.user ?? noUser)?.selectedTeamId : null;
    return userId !== null && teamId ? { userId, teamId, position: asOf, since: users[nth]?.selectedAt ?? -1n } : null;
  });
  const memberships = await listTeamsBefore(
    db,
    projectId,
    selected.flatMap((one) => (one ? [{ userId: one.userId, position: one.position + 1n }] : [])),
  );
  let looked = 0;
  const teams = await foldAll(
    store,
    teamFold,
    slots.map(({ teamId, row: { asOf } }, nth): Wanted => {
      const choice = selected[nth];
      if (!choice) return wantedIf(nth, needs[nth]?.team, `team-${teamId}`, asOf);
      const joined = memberships[looked++]?.get(choice.teamId);
      // Who left the team and came back has to select it again.
      const isMember = joined !== undefined && joined < choice.since;
      return isMember ? { stream: `team-${choice.teamId}`, position: asOf } : null;
    }),
  );
  const byPosition = new Map(events.map((event) => [event.position, event as Recorded<GatebookEvent>]));
  return slots.map((slot, nth) => {
    const event = byPosition.get(slot.row.position);
    if (!event) return null;
    const user = users[nth] ?? null;
    const { team, subjectId = null } = teams[nth] ?? {};
    return { event, slot, user, team: active(team), teamSubjectId: subjectId, project: active(projects[nth]) };
  });
}

const noUser = { status: 'absent' } as const;
