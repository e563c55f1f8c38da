import type { CustomMetric, CustomMetricField } from '@gatebook/js/admin';
import { select, t } from '@lingui/core/macro';
import { methodName } from '../../lib/sign-in-methods.ts';
import type { GroupNames } from './analytics-text.ts';

export const fieldLabels: Readonly<Record<CustomMetricField, string>> = {
  type: t`Event type`,
  actor: t`Actor`,
  team_id: t`Team ID`,
  permission_id: t`Permission ID`,
  method: t`Sign-in method`,
  provider_id: t`Provider`,
  second_factor: t`Second factor`,
  is_impersonation: t`Impersonation`,
  is_anonymous: t`Anonymous user`,
  reason: t`Reason`,
};
export const fieldExamples: Readonly<Record<CustomMetricField, string>> = {
  type: 'user.created',
  actor: 'user',
  team_id: '1f0d7a52-6c1e-4b59-9d0e-000000000002',
  permission_id: 'team_admin',
  method: 'passkey',
  provider_id: 'github',
  second_factor: 'totp',
  is_impersonation: 'true',
  is_anonymous: 'false',
  reason: 'sign_out',
};

export const unitOptions: readonly { value: CustomMetric['unit']; label: string }[] = [
  { value: 'hour', label: t`Hour` },
  { value: 'day', label: t`Day` },
  { value: 'week', label: t`Week` },
  { value: 'month', label: t`Month` },
];
export const countOptions: readonly { value: CustomMetric['count']; label: string }[] = [
  { value: 'events', label: t`Events` },
  { value: 'distinct_users', label: t`Distinct users` },
];

export const isFlag = (field: CustomMetricField): boolean => field.startsWith('is_');
export const flagOptions = [
  { value: 'true', label: t`Yes` },
  { value: 'false', label: t`No` },
];

const valueName = (field: CustomMetricField, value: string): string => {
  if (isFlag(field)) return value === 'true' ? t`Yes` : t`No`;
  return field === 'method' || field === 'provider_id' ? methodName(value) : value;
};
export const namesBy = (field: CustomMetricField | null): GroupNames | null =>
  field && ((value) => (value === null ? t`Others and unknown` : valueName(field, value)));

/** `Distinct users of user.signed_in per week, where Sign-in method is Passkey, by Provider`. */
export function describeMetric({ eventTypes, filter, groupBy, unit, count }: CustomMetric): string {
  const label = countOptions.find(({ value }) => value === count)?.label ?? count;
  const types = eventTypes.join(', ');
  const what = select(unit, {
    hour: `${label} of ${types} per hour`,
    day: `${label} of ${types} per day`,
    week: `${label} of ${types} per week`,
    other: `${label} of ${types} per month`,
  });
  const conditions = Object.entries(filter).map(
    ([field, value]) =>
      t`${fieldLabels[field as CustomMetricField]} is ${valueName(field as CustomMetricField, value)}`,
  );
  const where = conditions.length === 0 ? '' : t`, where ${conditions.join(t` and `)}`;
  return `${what}${where}${groupBy ? t`, by ${fieldLabels[groupBy]}` : ''}`;
}
