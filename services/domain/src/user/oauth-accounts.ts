import { reject } from '../errors.ts';
import type { UserEvent } from './events.ts';
import { type ActiveUser, findOAuthAccount, type OAuthAccount } from './state.ts';

export type LinkOAuthAccount = {
  type: 'LinkOAuthAccount';
  id: string;
  provider: string;
  accountRef: string;
  accountId: string;
  email: string | null;
  /** Linking by hand allows one account per provider; an automatic merge does not check this (protocol, auth §8.5). */
  isOnlyOne: boolean;
  /** The user connected the account by hand, so apps can get its tokens again. */
  isConnecting?: boolean;
  allowSignIn?: boolean;
  allowConnectedAccounts?: boolean;
  /** Maximum number of accounts of the user; undefined: no limit. */
  limit?: number | undefined;
  at: string;
};
/** Omitted fields are unchanged. `accountRef` and `accountId` change together. */
export type ChangeOAuthAccount = {
  type: 'ChangeOAuthAccount';
  id: string;
  account?: { accountRef: string; accountId: string } | undefined;
  email?: string | undefined;
  allowSignIn?: boolean | undefined;
  allowConnectedAccounts?: boolean | undefined;
  /** Rejects a change that leaves the user no way to sign in. */
  keepsSignIn: boolean;
  at: string;
};
export type UnlinkOAuthAccount = { type: 'UnlinkOAuthAccount'; id: string; keepsSignIn: boolean; at: string };
export type OAuthAccountCommand = LinkOAuthAccount | ChangeOAuthAccount | UnlinkOAuthAccount;

export function decideOAuthAccount(command: OAuthAccountCommand, user: ActiveUser): readonly UserEvent[] {
  switch (command.type) {
    case 'LinkOAuthAccount':
      return linkOAuthAccount(command, user);
    case 'ChangeOAuthAccount':
      return changeOAuthAccount(command, user);
    case 'UnlinkOAuthAccount':
      return unlinkOAuthAccount(command, user);
  }
}

function linkOAuthAccount(command: LinkOAuthAccount, { userId, oauthAccounts }: ActiveUser): readonly UserEvent[] {
  const { id, provider, accountRef, accountId, email, isOnlyOne, isConnecting = false, limit, at } = command;
  const own = oauthAccounts.find((account) => account.accountRef === accountRef);
  const others = oauthAccounts.filter((account) => account !== own);
  if (isOnlyOne && others.some((account) => account.provider === provider)) {
    return reject('USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION');
  }
  if (own) {
    if (!isConnecting || own.allowConnectedAccounts) return [];
    return [{ type: 'OAuthAccountChanged', data: { userId, ...own, allowConnectedAccounts: true, at } }];
  }
  if (limit !== undefined && others.length >= limit) {
    return reject('QUOTA_EXCEEDED', { quota: 'providerAccountsPerUser', limit });
  }
  const { allowSignIn = true, allowConnectedAccounts = true } = command;
  const account = { id, provider, accountRef, accountId, email, allowSignIn, allowConnectedAccounts };
  return [{ type: 'OAuthAccountLinked', data: { userId, ...account, at } }];
}

function changeOAuthAccount(command: ChangeOAuthAccount, user: ActiveUser): readonly UserEvent[] {
  const { account, email, allowSignIn, allowConnectedAccounts, keepsSignIn, at } = command;
  const before = requireAccount(user, command.id);
  const after: OAuthAccount = {
    id: before.id,
    provider: before.provider,
    accountRef: account?.accountRef ?? before.accountRef,
    accountId: account?.accountId ?? before.accountId,
    email: email ?? before.email,
    allowSignIn: allowSignIn ?? before.allowSignIn,
    allowConnectedAccounts: allowConnectedAccounts ?? before.allowConnectedAccounts,
  };
  const names = Object.keys(after) as (keyof OAuthAccount)[];
  if (names.every((name) => after[name] === before[name])) return [];
  if (keepsSignIn && before.allowSignIn && !after.allowSignIn) requireOtherSignIn(user, before);
  return [{ type: 'OAuthAccountChanged', data: { userId: user.userId, ...after, at } }];
}

function unlinkOAuthAccount({ id, keepsSignIn, at }: UnlinkOAuthAccount, user: ActiveUser): readonly UserEvent[] {
  const account = requireAccount(user, id);
  if (keepsSignIn && account.allowSignIn) requireOtherSignIn(user, account);
  const { provider, accountRef } = account;
  return [{ type: 'OAuthAccountUnlinked', data: { userId: user.userId, provider, accountRef, at } }];
}

function requireAccount(user: ActiveUser, id: string): OAuthAccount {
  return findOAuthAccount(user, id) ?? reject('OAUTH_ACCOUNT_NOT_FOUND');
}

/** A password and an email code need an address to sign in with. @throws DomainError LAST_SIGN_IN_METHOD */
function requireOtherSignIn(user: ActiveUser, account: OAuthAccount): void {
  const hasAddress = user.channels.some(({ usedForAuth }) => usedForAuth);
  const signsInByEmail = hasAddress && (user.hasPassword || user.isOtpEnabled);
  const others = user.oauthAccounts.filter(({ id, allowSignIn }) => id !== account.id && allowSignIn);
  if (!signsInByEmail && user.passkey === null && others.length === 0) reject('LAST_SIGN_IN_METHOD');
}
