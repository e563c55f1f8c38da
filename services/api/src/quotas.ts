import { type QuotaName, quotaOf, quotaRules } from '@gatebook/domain/project/quotas';
import type { Caller } from './caller.ts';

/** How many the caller may make; undefined where the quota neither counts nor limits calls of this access type. */
export function quotaFor({ accessType, project }: Caller, name: QuotaName): number | undefined {
  const isCounted = quotaRules[name].access === 'all' || accessType === 'client';
  return isCounted ? quotaOf(project.settings, name) : undefined;
}
