import { t } from '@lingui/core/macro';
import type { ExcludableField } from './audit-search.ts';

/** Filters as people read them. `value`: of a target, with the noun of its type. */
export const filterTexts: Readonly<Record<ExcludableField, (value: string) => string>> = {
  type: (value) => t`Type: ${value}`,
  kind: (value) => t`By: ${value}`,
  actor: (value) => t`By: ${value}`,
  target: (value) => value,
  action: (value) => t`Request: ${value}`,
  ip: (value) => t`From: ${value}`,
};
