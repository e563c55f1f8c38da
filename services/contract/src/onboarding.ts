import { z } from 'zod';
import { flag, numberOf } from './common.ts';
import { RestrictedReason } from './users.ts';

export const OnboardingPreviewQuery = z.strictObject({ limit: numberOf(z.number().int().min(1).max(100)).optional() });

export const OnboardingPreviewBody = z.strictObject({
  onboarding: z.strictObject({ require_email_verification: flag.optional() }),
});

/** Users whom a requirement would restrict (protocol, projects §3.1). */
export const OnboardingPreviewView = z
  .object({
    affected_users: z.array(
      z.object({
        id: z.uuid(),
        display_name: z.string().nullable(),
        primary_email: z.string().nullable(),
        restricted_reason: RestrictedReason,
      }),
    ),
    total_affected_count: z.number().int(),
  })
  .meta({ id: 'OnboardingPreview' });
