import {
  type AuditField,
  type AuditSearch,
  type AuditTab,
  millisOf,
  splitTarget,
} from '../../components/audit/audit-search.ts';
import { formatExactTime } from '../../lib/format.ts';

export const tabNames: Readonly<Record<AuditTab, string>> = {
  all: 'All',
  administration: 'Administration',
  activity: 'User activity',
};

const texts: readonly { field: AuditField; text: (value: string) => string }[] = [
  { field: 'type', text: (value) => `Type: ${value}` },
  { field: 'outcome', text: (value) => (value === 'rejected' ? 'Rejected only' : 'Successful only') },
  { field: 'actor', text: (value) => `By: ${value}` },
  {
    field: 'target',
    text: (value) => {
      const [type, id] = splitTarget(value);
      return `${type === undefined ? 'Object' : type.replaceAll('_', ' ')}: ${id}`;
    },
  },
  { field: 'action', text: (value) => `Request: ${value}` },
  { field: 'ip', text: (value) => `From: ${value}` },
  { field: 'from', text: (value) => `After ${timeOf(value)}` },
  { field: 'until', text: (value) => `Before ${timeOf(value)}` },
];

const timeOf = (millis: string): string => {
  const at = millisOf(millis);
  return at === undefined ? millis : formatExactTime(new Date(at));
};

/** The filters that are set, as people read them. */
export function describeFilters(search: AuditSearch): { field: AuditField; label: string }[] {
  return texts.flatMap(({ field, text }) => {
    const value = search[field];
    return value === undefined ? [] : [{ field, label: text(value) }];
  });
}
