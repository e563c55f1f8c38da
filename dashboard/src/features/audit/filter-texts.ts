import { t } from '@lingui/core/macro';
import {
  type AuditField,
  type AuditSearch,
  type AuditTab,
  millisOf,
  splitTarget,
} from '../../components/audit/audit-search.ts';
import { nounOf } from '../../components/audit/nouns.ts';
import { formatExactTime } from '../../lib/format.ts';

export const tabNames: Readonly<Record<AuditTab, string>> = {
  all: t`All`,
  administration: t`Administration`,
  activity: t`User activity`,
};

const texts: readonly { field: AuditField; text: (value: string) => string }[] = [
  { field: 'type', text: (value) => t`Type: ${value}` },
  { field: 'outcome', text: (value) => (value === 'rejected' ? t`Rejected only` : t`Successful only`) },
  { field: 'actor', text: (value) => t`By: ${value}` },
  {
    field: 'target',
    text: (value) => {
      const [type, id] = splitTarget(value);
      return `${type === undefined ? t`Object` : nounOf(type)}: ${id}`;
    },
  },
  { field: 'action', text: (value) => t`Request: ${value}` },
  { field: 'ip', text: (value) => t`From: ${value}` },
  { field: 'from', text: (value) => t`After ${timeOf(value)}` },
  { field: 'until', text: (value) => t`Before ${timeOf(value)}` },
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
