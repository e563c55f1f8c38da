import { t } from '@lingui/core/macro';
import {
  type AuditSearch,
  type AuditTab,
  type ExcludableField,
  excludableFields,
  millisOf,
  type SetFilter,
  splitTarget,
  valuesOf,
} from '../../components/audit/audit-search.ts';
import { filterTexts } from '../../components/audit/filter-texts.ts';
import { nounOf } from '../../components/audit/nouns.ts';
import { formatZonedTime } from '../../lib/format.ts';
import { rangeText } from './ranges.ts';
import type { FilterNames } from './use-filter-names.ts';

export const tabNames: Readonly<Record<AuditTab, string>> = {
  all: t`All`,
  administration: t`Administration`,
  activity: t`User activity`,
};

const without: Readonly<Record<ExcludableField, (value: string) => string>> = {
  type: (value) => t`Not type: ${value}`,
  kind: (value) => t`Not by: ${value}`,
  actor: (value) => t`Not by: ${value}`,
  target: (value) => t`Not ${value}`,
  action: (value) => t`Not request: ${value}`,
  ip: (value) => t`Not from: ${value}`,
};

function shownValue(field: ExcludableField, value: string, names: FilterNames): string {
  if (field === 'target') return describeTarget(value, names);
  return field === 'kind' ? kindName(value) : (names.get(value) ?? value);
}

function describeTarget(value: string, names: FilterNames): string {
  const [type, id] = splitTarget(value);
  return `${type === undefined ? t`Object` : nounOf(type)}: ${names.get(value) ?? id}`;
}

const kindNames: Readonly<Record<string, string>> = {
  client: t`signed-out visitors`,
  server: t`your server`,
  admin: t`admin keys`,
  operator: t`the operator`,
  system: 'Gatebook',
};
const kindName = (kind: string): string => kindNames[kind] ?? kind;

function timeOf(millis: string, { zone }: AuditSearch): string {
  const at = millisOf(millis, Date.now());
  return at === undefined ? millis : formatZonedTime(new Date(at), zone !== undefined);
}

export type DescribedFilter = SetFilter & { label: string };

/** The filters that are set, as people read them. */
export function describeFilters(search: AuditSearch, names: FilterNames): DescribedFilter[] {
  const { outcome, from, until } = search;
  const set = (field: 'outcome' | 'from' | 'until', label: string): DescribedFilter => ({ field, label });
  return [
    ...excludableFields.flatMap((field): DescribedFilter[] => {
      const value = search[field];
      return value === undefined ? [] : [{ field, label: filterTexts[field](shownValue(field, value, names)) }];
    }),
    ...excludableFields.flatMap((name): DescribedFilter[] => {
      const field = `not_${name}` as const;
      return valuesOf(search[field]).map((value) => ({
        field,
        value,
        label: without[name](shownValue(name, value, names)),
      }));
    }),
    ...(outcome === undefined ? [] : [set('outcome', outcome === 'rejected' ? t`Rejected only` : t`Successful only`)]),
    ...(from === undefined ? [] : [set('from', rangeText(from) ?? t`After ${timeOf(from, search)}`)]),
    ...(until === undefined ? [] : [set('until', t`Before ${timeOf(until, search)}`)]),
  ];
}
