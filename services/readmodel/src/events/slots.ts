import type { CombinedKind, PublicEventKind, PublicEventType } from '@gatebook/domain/public-events/types';
import { existingUser } from '@gatebook/domain/user/state';
import type { ReadDb } from '../read-db.ts';
import { foldAll, type StreamStore } from './folded-streams.ts';
import { listHoldingsBefore, listSelectionsBefore, listTeamsBefore } from './holdings.ts';
import type { EventRow } from './queries.ts';
import type { Slot } from './slot.ts';
import type { HoldingKind } from './tables.ts';
import { toChannelData, userFold } from './user-data.ts';

type SlotParts = { db: ReadDb; store: StreamStore };
/** `userId`: of these events only, if a row stands for events of many users. `limit`: of these. */
export type SlotRange = { from: number; userId: string | null; limit: number };

/** As many as IDs of events have room for. */
const maxSlots = 2 ** 20;

type Content = Omit<Slot, 'row' | 'nth'>;
type List = (parts: SlotParts, projectId: string, row: EventRow, range: SlotRange) => Promise<readonly Slot[]>;

const slotsOf = (row: EventRow, contents: readonly Content[]): Slot[] =>
  contents.map((content, nth) => ({ row, nth, ...content }));

/** Memberships end before their user. */
const ofDeletedUser: List = async ({ db }, projectId, row) => {
  const { userId, position } = row;
  if (userId === null) return [];
  const [teams] = await listTeamsBefore(db, projectId, [{ userId, position }]);
  const teamIds = [...(teams?.keys() ?? [])];
  const left = teamIds.map((teamId): Content => ({ type: 'team_membership.deleted', userId, teamId, part: teamId }));
  return slotsOf(row, [...left, { type: 'user.deleted', userId, teamId: null, teamIds }]);
};

const typeOfHolding: Readonly<Partial<Record<HoldingKind, PublicEventType>>> = {
  membership: 'team_membership.created',
  team_permission: 'team_permission.created',
  project_permission: 'project_permission.created',
};

/** What is theirs comes back after their user. */
const ofRestoredUser: List = async (parts, projectId, row) => {
  const { userId, position, asOf } = row;
  if (userId === null) return [];
  const [[told], holdings] = await Promise.all([
    foldAll(parts.store, userFold, [{ stream: `user-${userId}`, position: asOf }]),
    listHoldingsBefore(parts.db, projectId, { userId, position }),
  ]);
  const user = told && existingUser(told.user);
  const of = { userId, teamId: null };
  const held = (wanted: HoldingKind): Content[] =>
    holdings.flatMap(({ kind, teamId, permissionKey }) => {
      const type = kind === wanted && typeOfHolding[kind];
      return type ? [{ type, userId, teamId, part: permissionKey ?? teamId ?? '' }] : [];
    });
  return slotsOf(row, [
    { type: 'user.created', ...of },
    // At the places of the release before, so that IDs and cursors stay valid.
    ...held('membership'),
    ...(user?.channels ?? []).map(({ id }): Content => ({ type: 'contact_channel.created', ...of, part: id })),
    ...(user?.oauthAccounts ?? []).map(({ id }): Content => ({ type: 'connected_account.created', ...of, part: id })),
    ...held('project_permission'),
    ...held('team_permission'),
  ]);
};

const ofChangedPrimary: List = async ({ store }, _projectId, row) => {
  const stream = `user-${row.userId}`;
  const [before, after] = await foldAll(store, userFold, [
    { stream, position: row.position - 1n },
    { stream, position: row.position },
  ]);
  const user = after && existingUser(after.user);
  if (!before || !after || !user) return [];
  const textOf = (told: typeof after, id: string) => JSON.stringify(toChannelData(told, id));
  const changed = user.channels.filter(({ id }) => textOf(before, id) !== textOf(after, id));
  // The new one first: the release before told only this one, and its ID stays valid.
  const inOrder = [...changed].sort((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
  const of = { userId: row.userId, teamId: null };
  return slotsOf(
    row,
    inOrder.map(({ id }): Content => ({ type: 'contact_channel.updated', ...of, part: id })),
  );
};

const ofChangedSelections: List = async ({ db }, projectId, row, { from, userId, limit }) => {
  const { teamId, position } = row;
  if (teamId === null || from >= maxSlots) return [];
  const range = { from, userId, limit: Math.min(limit, maxSlots - from) };
  const found = await listSelectionsBefore(db, projectId, { teamId, position }, range);
  return found.map((one): Slot => ({ row, nth: one.nth, type: 'user.updated', userId: one.userId, teamId: null }));
};

const ofMovedKey: List = async (_parts, _projectId, row) =>
  slotsOf(row, [{ type: 'api_key.updated', userId: row.userId, teamId: null }]);

const listers: Readonly<Record<CombinedKind, List>> = {
  'user.deleted': ofDeletedUser,
  'user.restored': ofRestoredUser,
  'primary_channel.changed': ofChangedPrimary,
  'selected_team.changed': ofChangedSelections,
  'api_key.moved': ofMovedKey,
};

/** The public events that a row stands for, in order; those of many users up to `limit`. */
export async function listSlots(
  parts: SlotParts,
  projectId: string,
  row: EventRow,
  range: SlotRange,
): Promise<readonly Slot[]> {
  const { kind, userId, teamId } = row;
  const slots = isCombined(kind)
    ? await listers[kind](parts, projectId, row, range)
    : slotsOf(row, [{ type: kind, userId, teamId }]);
  return slots.filter(({ nth }) => nth >= range.from);
}

const isCombined = (kind: PublicEventKind): kind is CombinedKind => Object.hasOwn(listers, kind);
