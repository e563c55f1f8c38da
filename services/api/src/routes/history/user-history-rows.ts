import type { Definitions } from '@gatebook/domain/permission/effective';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { type AuditPlace, listAuditRows } from '@gatebook/readmodel/audit/queries';
import type { Deps } from '../../deps.ts';
import { withoutErasedData } from '../audit/audit-texts.ts';
import { type AuditEntry, findReferences, type References, readEntries } from '../audit/references.ts';
import { nameOfActor } from '../audit/wire.ts';
import { type Details, deletionTypes, detailsOf } from './history-details.ts';
import { historyTypes } from './history-text.ts';

export type HistoryRow = {
  eventId: string;
  type: string;
  actorKind: string;
  actorId: string | null;
  /**
   * Name or email of the acting user, if that user belongs to this project or `internal` and still exists; for a
   * project key, its description.
   */
  actorName: string | null;
  /** Who acted for that user. */
  impersonatorKind: string | null;
  impersonatorId: string | null;
  impersonatorName: string | null;
  /** null once the user is deleted. */
  details: Details | null;
  /** Name of the team concerned, while it exists. */
  teamName: string | null;
  /** The contact channel concerned, as it was then. */
  channelValue: string | null;
  at: number;
};

type Person = { projectId: string; userId: string; permissions: Definitions };

/** A user's history after a place of the audit log (null: from now), newest first. `next` is null at the end. */
export async function listUserHistory(
  deps: Pick<Deps, 'db' | 'store'>,
  { projectId, userId, permissions }: Person,
  { after, limit }: { after: AuditPlace | null; limit: number },
): Promise<{ items: HistoryRow[]; next: AuditPlace | null }> {
  const filters = { ...anyAuditEvent, targetType: 'user', targetId: userId, types: historyTypes };
  const { rows, next } = await listAuditRows(deps.db, projectId, filters, { order: 'desc', after, limit });
  const entries = await readEntries(deps, rows);
  const references = await findReferences(deps, { projectId, permissions }, entries);
  return { items: entries.map((entry) => toHistoryRow(entry, references)), next };
}

function toHistoryRow(entry: AuditEntry, references: References): HistoryRow {
  const { row, event } = entry;
  const { names, isErased, address } = references;
  const impersonator = event?.metadata.actor.impersonator;
  const isHidden = isErased(row.userId ?? '') && !deletionTypes.has(row.type);
  const details = event && !isHidden ? detailsOf(withoutErasedData(event, references)) : null;
  const { channelId, value = null } = details ?? {};
  return {
    eventId: row.eventId,
    type: row.type,
    actorKind: row.actorKind,
    actorId: row.actorId,
    actorName: nameOfActor(row.actorKind, row.actorId, references),
    impersonatorKind: impersonator?.kind ?? null,
    impersonatorId: impersonator?.id ?? null,
    impersonatorName: impersonator ? nameOfActor(impersonator.kind, impersonator.id, references) : null,
    details,
    teamName: typeof details?.teamId === 'string' ? (names.teams.get(details.teamId) ?? null) : null,
    channelValue: typeof value === 'string' ? value : typeof channelId === 'string' ? address(channelId, entry) : null,
    at: typeof event?.data.at === 'string' ? Date.parse(event.data.at) : row.at,
  };
}
