import { type QuotaName, quotaOf, quotaRules } from '@gatebook/domain/project/quotas';
import type { Caller } from './caller.ts';

/** The caller's limit; undefined if the quota does not apply to this access type. */
export function quotaFor({ accessType, project }: Caller, name: QuotaName): number | undefined {
  const isCounted = quotaRules[name].access === 'all' || accessType === 'client';
  return isCounted ? quotaOf(project.settings, name) : undefined;
}
