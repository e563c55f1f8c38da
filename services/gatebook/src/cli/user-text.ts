import type { CurrentUser } from '@gatebook/js/core';

export function describeUser({ id, displayName, primaryEmail }: CurrentUser): string {
  if (displayName && primaryEmail) return `${displayName} <${primaryEmail}>`;
  return displayName ?? primaryEmail ?? id;
}

/** With the field names of the API. */
export function toJson({ id, displayName, primaryEmail, primaryEmailVerified, isAnonymous }: CurrentUser) {
  return {
    id,
    display_name: displayName,
    primary_email: primaryEmail,
    primary_email_verified: primaryEmailVerified,
    is_anonymous: isAnonymous,
  };
}
