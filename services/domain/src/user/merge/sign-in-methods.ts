import { drop, dropReasonOf, itemOf, type Merge, move, moveSingle, type UserPart } from './parts.ts';

export function mergeSignInMethods(merge: Merge): UserPart[] {
  const { kept, duplicate, at } = merge;
  const [own, other] = [kept.user, duplicate.user];
  const secrets = { kept: own.totp?.secret ?? null, duplicate: other.totp?.secret ?? null };
  return [
    ...mergePassword(merge),
    ...(other.isOtpEnabled && !own.isOtpEnabled ? [move(itemOf('email_code'), { type: 'AllowSignInCode', at })] : []),
    // The second factor moves too, because otherwise the methods that move would sign in without it.
    ...moveSingle('second_factor', secrets, (secret) => ({ type: 'ChangeTotpSecret', secret, at })),
    ...moveSingle('passkey', { kept: own.passkey, duplicate: other.passkey }, (passkey) => {
      return { type: 'RegisterPasskey', passkey, at };
    }),
    ...mergeConnectedAccounts(merge),
  ];
}

function mergePassword({ kept, duplicate, at }: Merge): UserPart[] {
  const [own, other] = [kept.user, duplicate.user];
  // An unknown hash stays unknown.
  const passwordHash = other.hasPassword ? other.passwordHash : null;
  if (passwordHash === null) return [];
  const item = itemOf('password');
  if (own.hasPassword) return [drop(item, dropReasonOf(own.passwordHash, passwordHash))];
  return [move(item, { type: 'SetPassword', passwordHash, at })];
}

function mergeConnectedAccounts({ kept, duplicate, at }: Merge): UserPart[] {
  return duplicate.user.oauthAccounts.flatMap(({ accountId, ...account }) => {
    const item = itemOf('connected_account', account.provider);
    const isOwn = kept.user.oauthAccounts.some(({ accountRef }) => accountRef === account.accountRef);
    if (isOwn) return [drop(item, 'already_there')];
    if (accountId === null) return [];
    return [move(item, { type: 'LinkOAuthAccount', ...account, accountId, isOnlyOne: false, at })];
  });
}
