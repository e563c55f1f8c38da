import {
  accessTokenLifetime,
  minPasswordLength,
  rejectionRetention,
  sessionLifetime,
} from '@gatebook/domain/project/config';
import { type QuotaName, quotaNames, quotaRules } from '@gatebook/domain/project/quotas';
import { z } from 'zod';
import { BrandingPatch, BrandingView } from './branding.ts';
import { flag, numberOf } from './common.ts';
import { type QuotaWireName, quotaWireNames } from './quota-names.ts';

const byWireName = <Field extends z.ZodType>(fieldOf: (name: QuotaName) => Field) =>
  Object.fromEntries(quotaNames.map((name) => [quotaWireNames[name], fieldOf(name)])) as Record<QuotaWireName, Field>;

export const QuotasView = z
  .object(byWireName((name) => z.number().int().meta({ description: quotaRules[name].things })))
  .meta({ id: 'Quotas', description: 'How many there may be of something.' });
export const QuotasPatch = z
  .strictObject(
    byWireName((name) => numberOf(z.number().int().min(1).max(quotaRules[name].most)).nullable().optional()),
  )
  .meta({ id: 'QuotasPatch', description: 'Null goes back to the default.' });

/** (protocol, rules 12 and 15) */
export const ProjectSettingsView = z
  .object({
    anonymous_sign_up_enabled: z.boolean(),
    keyless_clients_allowed: z.boolean(),
    security_notices_enabled: z.boolean(),
    breached_passwords_rejected: z.boolean(),
    min_password_length: z.number().int().meta({ description: 'Of passwords that users choose from now on.' }),
    reauthentication_required: z.boolean(),
    email_verification_required: z.boolean(),
    session_lifetime_hours: z.number().int().meta({ description: 'Of sessions that start from now on.' }),
    access_token_lifetime_seconds: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Of access tokens issued from now on; null: as long as the installation says.' }),
    rejection_retention_days: z.number().int().meta({ description: 'How long rejections are kept.' }),
    user_deletion_grace_days: z
      .number()
      .int()
      .meta({ description: 'For how many days a deleted user can be restored; 0: not at all.' }),
    team_deletion_grace_days: z
      .number()
      .int()
      .meta({ description: 'For how many days a deleted team can be restored; 0: not at all.' }),
    project_deletion_grace_days: z
      .number()
      .int()
      .meta({ description: 'For how many days the project can be restored after its deletion; 0: not at all.' }),
    quotas: QuotasView,
    branding: BrandingView,
  })
  .meta({ id: 'ProjectSettings', description: 'Settings that the protocol lacks.' });
export type ProjectSettingsView = z.infer<typeof ProjectSettingsView>;

const graceDays = numberOf(z.number().int().min(0).max(90));

export const ProjectSettingsPatch = z
  .strictObject({
    anonymous_sign_up_enabled: flag.optional(),
    keyless_clients_allowed: flag.optional(),
    quotas: QuotasPatch.optional(),
    security_notices_enabled: flag.optional(),
    breached_passwords_rejected: flag.optional(),
    min_password_length: numberOf(z.number().int().min(minPasswordLength.min).max(minPasswordLength.max)).optional(),
    reauthentication_required: flag.optional(),
    email_verification_required: flag.optional(),
    session_lifetime_hours: numberOf(z.number().int().min(sessionLifetime.min).max(sessionLifetime.max)).optional(),
    access_token_lifetime_seconds: numberOf(z.number().int().min(accessTokenLifetime.min).max(accessTokenLifetime.max))
      .nullable()
      .optional(),
    rejection_retention_days: numberOf(
      z.number().int().min(rejectionRetention.min).max(rejectionRetention.max),
    ).optional(),
    user_deletion_grace_days: graceDays.optional(),
    team_deletion_grace_days: graceDays.optional(),
    project_deletion_grace_days: graceDays.optional(),
    branding: BrandingPatch.optional(),
  })
  .meta({ id: 'ProjectSettingsPatch' });
export type ProjectSettingsPatch = z.infer<typeof ProjectSettingsPatch>;
