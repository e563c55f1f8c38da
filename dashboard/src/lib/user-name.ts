import { t } from '@lingui/core/macro';

type Named = { displayName: string | null; primaryEmail: string | null; isAnonymous: boolean };

/** The display name, or the best substitute for it. */
export function userName({ displayName, primaryEmail, isAnonymous }: Named): string {
  return displayName?.trim() || primaryEmail || (isAnonymous ? t`Anonymous` : t`Unnamed user`);
}

/** The line below the name: the email address, unless that is the name already. */
export function userSubtitle(user: Named): string {
  if (user.displayName?.trim() && user.primaryEmail) return user.primaryEmail;
  return user.primaryEmail ? t`No name` : user.isAnonymous ? t`Not signed up yet` : t`No email`;
}
