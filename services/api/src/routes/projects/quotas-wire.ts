import type { QuotasPatch, QuotasView } from '@gatebook/contract/project-settings';
import { quotaWireNames } from '@gatebook/contract/quota-names';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import { type QuotaSettings, quotaNames, quotaOf } from '@gatebook/domain/project/quotas';
import type { z } from 'zod';

/** All quotas, including the defaults. */
export function toQuotasView(settings: Pick<ProjectSettings, 'quotas'>): z.infer<typeof QuotasView> {
  const pairs = quotaNames.map((name) => [quotaWireNames[name], quotaOf(settings, name)]);
  return Object.fromEntries(pairs) as z.infer<typeof QuotasView>;
}

/** Omitted quotas are unchanged; null restores the default. */
export function changedQuotas({ quotas }: ProjectSettings, patch: z.infer<typeof QuotasPatch>): QuotaSettings {
  const pairs = quotaNames.map((name) => {
    const given = patch[quotaWireNames[name]];
    return [name, given === undefined ? quotas[name] : given] as const;
  });
  return Object.fromEntries(pairs.filter(([, limit]) => typeof limit === 'number'));
}
