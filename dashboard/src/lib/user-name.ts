type Named = { displayName: string | null; primaryEmail: string | null; isAnonymous: boolean };

/** What a person is called where there is room for one thing only. */
export function userName({ displayName, primaryEmail, isAnonymous }: Named): string {
  return displayName?.trim() || primaryEmail || (isAnonymous ? 'Anonymous' : 'No name');
}

/** What stands below the name: the address, unless the name is that already. */
export function secondLineOf(user: Named): string {
  if (user.displayName?.trim() && user.primaryEmail) return user.primaryEmail;
  return user.primaryEmail ? 'No name given' : user.isAnonymous ? 'Not signed up yet' : 'No e-mail';
}
