import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import { evolveProject, initialState as noProject, type ProjectState } from '@gatebook/domain/project/state';
import { existingUser } from '@gatebook/domain/user/state';
import type { EventStore } from '@gatebook/eventlog/port';
import type { ReadDb } from '../read-db.ts';
import { type Facts, needsOf } from './event-data.ts';
import { type Fold, foldUpTo } from './folded-streams.ts';
import { type EventRow, listTeamsBefore } from './queries.ts';
import { teamFold, userFold } from './user-data.ts';

type Parts = { db: ReadDb; store: Pick<EventStore, 'readAt' | 'readStreamPages'> };

const projectFold: Fold<ProjectState> = {
  initialState: noProject,
  evolve: (state, event) => evolveProject(state, event as unknown as ProjectEvent),
};

const active = <State extends { status: string }>(state: State | undefined) =>
  state?.status === 'active' ? (state as Extract<State, { status: 'active' }>) : null;

type Wanted = { stream: string; position: bigint } | null;

/** Other requests need connections too. */
const readsAtOnce = 4;

/** The states of streams at positions. Reads each stream once. */
async function foldAll<State>(
  store: Parts['store'],
  fold: Fold<State>,
  wanted: readonly Wanted[],
): Promise<(State | undefined)[]> {
  const byStream = new Map<string, { position: bigint; nth: number }[]>();
  for (const [nth, one] of wanted.entries()) {
    if (one) byStream.set(one.stream, [...(byStream.get(one.stream) ?? []), { position: one.position, nth }]);
  }
  const found: (State | undefined)[] = wanted.map(() => undefined);
  const waiting = [...byStream];
  const readNext = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const [stream, places] = one;
      const positions = places.map(({ position }) => position);
      const states = await foldUpTo(store, stream, fold, positions);
      for (const [at, { nth }] of places.entries()) found[nth] = states[at];
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, readNext));
  return found;
}

/** What the data of these rows is made of; null for an event that the log does not have. */
export async function readFacts(
  { db, store }: Parts,
  projectId: string,
  rows: readonly EventRow[],
): Promise<(Facts | null)[]> {
  const needs = rows.map(({ kind }) => needsOf(kind));
  const wantedIf = (nth: number, isNeeded: boolean | undefined, stream: string, position: bigint): Wanted =>
    isNeeded && rows[nth] ? { stream, position } : null;
  const [events, users, projects, before] = await Promise.all([
    store.readAt([...new Set(rows.map(({ position }) => position))], { large: true }),
    foldAll(
      store,
      userFold,
      rows.map((row, nth) => wantedIf(nth, needs[nth]?.user, `user-${row.userId}`, row.asOf)),
    ),
    foldAll(
      store,
      projectFold,
      rows.map(({ asOf }, nth) =>
        wantedIf(nth, needs[nth]?.project, `project-${projectId}`, needs[nth]?.isProjectBefore ? asOf - 1n : asOf),
      ),
    ),
    findTeams(db, projectId, rows, needs),
  ]);
  const selected = rows.map(({ userId, asOf }, nth) => {
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
    rows.map(({ teamId, asOf }, nth): Wanted => {
      const choice = selected[nth];
      if (!choice) return wantedIf(nth, needs[nth]?.team, `team-${teamId}`, asOf);
      const joined = memberships[looked++]?.get(choice.teamId);
      // Who left the team and came back has to select it again.
      const isMember = joined !== undefined && joined < choice.since;
      return isMember ? { stream: `team-${choice.teamId}`, position: asOf } : null;
    }),
  );
  const byPosition = new Map(events.map((event) => [event.position, event as Recorded<GatebookEvent>]));
  return rows.map(({ position, index }, nth) => {
    const event = byPosition.get(position);
    if (!event) return null;
    const teamIds = [...(before[nth]?.keys() ?? [])];
    const user = users[nth] ?? null;
    return { event, index, user, team: active(teams[nth]), project: active(projects[nth]), teamIds };
  });
}

const noUser = { status: 'absent' } as const;

async function findTeams(
  db: ReadDb,
  projectId: string,
  rows: readonly EventRow[],
  needs: readonly { memberships: boolean }[],
): Promise<(ReadonlyMap<string, bigint> | undefined)[]> {
  const wanted = rows.flatMap(({ userId, position }, nth) =>
    needs[nth]?.memberships && userId !== null ? [{ userId, position, nth }] : [],
  );
  const found = await listTeamsBefore(db, projectId, wanted);
  const teams: (ReadonlyMap<string, bigint> | undefined)[] = rows.map(() => undefined);
  for (const [at, { nth }] of wanted.entries()) teams[nth] = found[at];
  return teams;
}
