import { OnboardingPreviewBody, OnboardingPreviewQuery, OnboardingPreviewView } from '@gatebook/contract/onboarding';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { findUnverifiedUsers } from '@gatebook/readmodel/users/unverified';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

const defaultLimit = 10;

/** Users whom a change of the settings would restrict (protocol, projects §3.1). */
export const previewOnboardingRoute = defineRoute({
  method: 'POST',
  path: '/internal/onboarding/preview-affected-users',
  access: adminOnly,
  role: 'read_only',
  tags: ['Projects'],
  summary: 'Preview which users a requirement restricts',
  description: 'Changes nothing.',
  query: OnboardingPreviewQuery,
  body: OnboardingPreviewBody,
  response: { 200: OnboardingPreviewView },
  handle: async ({ deps, caller: { projectId }, query, body }) => {
    const { settings } = await findProject(deps.db, projectId);
    const isNew = body.onboarding.require_email_verification === true && !settings.emailVerificationRequired;
    if (!isNew) return { position: null, body: { affected_users: [], total_affected_count: 0 } };
    const { users, total } = await findUnverifiedUsers(deps.db, projectId, query.limit ?? defaultLimit);
    const preview = {
      affected_users: users.map((user) => ({
        id: user.id,
        display_name: user.displayName,
        primary_email: user.primaryEmail,
        restricted_reason: { type: 'email_not_verified' as const },
      })),
      total_affected_count: total,
    };
    return { position: null, body: preview };
  },
});
