import type { CurrentUser } from '@gatebook/js/users';

export function describeUser({ id, displayName, primaryEmail }: CurrentUser): string {
  if (displayName && primaryEmail) return `${displayName} <${primaryEmail}>`;
  return displayName ?? primaryEmail ?? id;
}

/** In the names of the API, for programs. */
export function toJson({ id, displayName, primaryEmail, primaryEmailVerified, isAnonymous }: CurrentUser) {
  return {
    id,
    display_name: displayName,
    primary_email: primaryEmail,
    primary_email_verified: primaryEmailVerified,
    is_anonymous: isAnonymous,
  };
}
