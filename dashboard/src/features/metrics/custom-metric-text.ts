import type { CustomMetric, CustomMetricField } from '@gatebook/js/admin';
import { methodName } from '../../lib/sign-in-methods.ts';
import type { GroupNames } from './analytics-text.ts';

export const fieldLabels: Readonly<Record<CustomMetricField, string>> = {
  type: 'Event type',
  actor: 'Actor',
  team_id: 'Team ID',
  permission_id: 'Permission ID',
  method: 'Sign-in method',
  provider_id: 'Provider',
  second_factor: 'Second factor',
  is_impersonation: 'Impersonation',
  is_anonymous: 'Anonymous user',
  reason: 'Reason',
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
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
];
export const countOptions: readonly { value: CustomMetric['count']; label: string }[] = [
  { value: 'events', label: 'Events' },
  { value: 'distinct_users', label: 'Distinct users' },
];

export const isFlag = (field: CustomMetricField): boolean => field.startsWith('is_');
export const flagOptions = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

export const valueName = (field: CustomMetricField, value: string): string => {
  if (isFlag(field)) return value === 'true' ? 'Yes' : 'No';
  return field === 'method' || field === 'provider_id' ? methodName(value) : value;
};
export const namesBy = (field: CustomMetricField | null): GroupNames | null =>
  field && ((value) => (value === null ? 'Others and unknown' : valueName(field, value)));

/** `Distinct users of user.signed_in per week, where Sign-in method is Passkey, by Provider`. */
export function describeMetric({ eventTypes, filter, groupBy, unit, count }: CustomMetric): string {
  const what = `${countOptions.find(({ value }) => value === count)?.label ?? count} of ${eventTypes.join(', ')} per ${unit}`;
  const conditions = Object.entries(filter).map(
    ([field, value]) => `${fieldLabels[field as CustomMetricField]} is ${valueName(field as CustomMetricField, value)}`,
  );
  const where = conditions.length === 0 ? '' : `, where ${conditions.join(' and ')}`;
  return `${what}${where}${groupBy ? `, by ${fieldLabels[groupBy]}` : ''}`;
}
