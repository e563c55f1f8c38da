import type { ExportedEntry } from '@gatebook/contract/export';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { HistoryRow } from '../history/user-history-rows.ts';
import { toHistoryItem } from '../history/wire.ts';

const asText = (value: unknown) => (typeof value === 'string' ? value : null);

/** An event as its subject can receive it, without the names and addresses of other actors. */
export function toExportedEntry(row: HistoryRow, userId: string, permissions: Definitions): ExportedEntry {
  const isByPerson = row.actorId === userId && row.impersonatorKind === null;
  // Client access without a user is a sign-in, so the actor is the user.
  const details = isByPerson || row.actorKind === 'client' ? row.details : withoutPlace(row.details);
  const isOfPerson = row.actorId === userId;
  const shown = {
    ...row,
    details,
    actorId: isOfPerson ? userId : null,
    actorName: isOfPerson ? row.actorName : null,
    impersonatorId: null,
    impersonatorName: null,
  };
  return {
    // The file can go to people and programs of any language.
    ...toHistoryItem(shown, { permissions, language: 'en' }),
    ip: asText(details?.ip),
    user_agent: asText(details?.userAgent),
    country: asText(details?.country),
    client_version: asText(details?.clientVersion),
  };
}

const withoutPlace = (details: HistoryRow['details']) =>
  details && { ...details, ip: null, userAgent: null, country: null, clientVersion: null };
