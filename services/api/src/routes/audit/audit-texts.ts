import { auditTypeOf } from '@gatebook/domain/audit/audit-types';
import { withoutErased } from '@gatebook/domain/audit/event-data';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import { germanAuditTexts } from '../../german/audit-texts.ts';
import { germanTitles } from '../../german/audit-titles.ts';
import type { InEachLanguage, TextLanguage } from '../../http/text-language.ts';
import { type Details, detailsOf } from '../history/history-details.ts';
import { historyText } from '../history/history-text.ts';
import { type AuditText, englishAuditTexts } from './english-texts.ts';
import type { AuditEntry, References } from './references.ts';

const definitions: Readonly<Record<string, EventDefinition>> = catalog;
const textsIn: InEachLanguage<Readonly<Record<string, AuditText>>> = {
  en: englishAuditTexts,
  de: germanAuditTexts,
};
const germanTitleOf: Readonly<Record<string, string>> = germanTitles;

/** The name of a type of event; of an unknown one the type. */
export const titleOf = (language: TextLanguage, type: string): string =>
  (language === 'de' ? germanTitleOf[type] : undefined) ?? auditTypeOf(type)?.title ?? type;

/** The event without personal data of erased subjects. */
export function withoutErasedData(event: Recorded, { isErased }: Pick<References, 'isErased'>): Recorded {
  const data = withoutErased(event.data, definitions[event.type] ?? {}, isErased);
  return data === event.data ? event : { ...event, data };
}

/** The event in a sentence, with the names of things at its time or now. */
export function auditText(language: TextLanguage, entry: AuditEntry, references: References): string {
  const { row } = entry;
  const title = titleOf(language, row.type);
  if (!entry.event) return title;
  const event = withoutErasedData(entry.event, references);
  const own = textsIn[language][row.type];
  const permission = permissionOf(language, entry, references);
  if (own) return own(event.data, { permission });
  const details = detailsOf(event);
  if (!details) return title;
  const { teamId, channelId } = event.data;
  const { isErased } = references;
  return historyText(language, row.type, {
    ...(isErased(row.userId ?? '') ? withoutNulls(details) : details),
    // Shown as the origin.
    ip: null,
    permission,
    team: typeof teamId === 'string' ? references.names.teams.get(teamId) : undefined,
    value: typeof details.value === 'string' ? details.value : addressOf(channelId, entry, references),
  });
}

/** null would be told as a removed value. */
const withoutNulls = (details: Details): Details =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));

function addressOf(channelId: unknown, entry: AuditEntry, { address, isErased }: References): string | null {
  if (typeof channelId !== 'string' || isErased(entry.row.userId ?? '')) return null;
  return address(channelId, entry);
}

const nowTexts: InEachLanguage<string> = { en: 'now', de: 'jetzt' };

/** ID of the permission at the time of the event, and the current one if it differs. */
export function permissionOf(
  language: TextLanguage,
  entry: AuditEntry,
  { permissionId }: Pick<References, 'permissionId'>,
): string | null {
  if (entry.row.objectType !== 'permission' || entry.row.objectId === null) return null;
  const { past, current } = permissionId(entry.row.objectId, entry);
  return past !== null && current !== null && past !== current
    ? `${past} (${nowTexts[language]} ${current})`
    : (past ?? current);
}
