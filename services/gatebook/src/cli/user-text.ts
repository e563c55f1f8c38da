import type { CurrentUserFacts } from '@gatebook/js';

export function describeUser({ id, displayName, primaryEmail }: CurrentUserFacts): string {
  if (displayName && primaryEmail) return `${displayName} <${primaryEmail}>`;
  return displayName ?? primaryEmail ?? id;
}

/** With the field names of the API. */
export function toJson({ id, displayName, primaryEmail, primaryEmailVerified, isAnonymous }: CurrentUserFacts) {
  return {
    id,
    display_name: displayName,
    primary_email: primaryEmail,
    primary_email_verified: primaryEmailVerified,
    is_anonymous: isAnonymous,
  };
}
