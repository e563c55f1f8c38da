import type { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/projects';
import { quotaWireNames } from '@gatebook/contract/quota-names';

export type QuotaName = keyof typeof quotaWireNames;
/** Upper limits by name. */
export type Quotas = Readonly<Record<QuotaName, number>>;
/** Null restores the default. */
export type QuotaChanges = Readonly<Partial<Record<QuotaName, number | null>>>;

const names = Object.keys(quotaWireNames) as readonly QuotaName[];

export const quotasFromWire = (view: ProjectSettingsView['quotas']): Quotas =>
  Object.fromEntries(names.map((name) => [name, view[quotaWireNames[name]]])) as Quotas;

export const quotasToWire = (changes: QuotaChanges): NonNullable<ProjectSettingsPatch['quotas']> =>
  Object.fromEntries(names.map((name) => [quotaWireNames[name], changes[name]]));
