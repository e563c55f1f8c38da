import type { ContactChannel, CurrentProject, CurrentUser } from '@gatebook/js/core';
import { createContext, useContext } from 'react';
import type { ResourceKey } from '../../resource-cache.ts';
import { type Resource, useResource, useResourceCache } from '../../use-resource.ts';
import { useHandler } from '../context.ts';

export type Account = { user: CurrentUser; project: CurrentProject };

export const AccountContext = createContext<Account | null>(null);

/** @throws Error outside `AccountSettings` */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('useAccount must be used inside AccountSettings');
  return account;
}

/** Reads what belongs to the user. After a switch of users, also in another tab, nothing of the one before is shown. */
export function useOwnResource<Value>(key: ResourceKey, load: () => Promise<Value>): Resource<Value> {
  const { user } = useAccount();
  return useResource([...key, user.id], load);
}

/** Fetches the user and their email addresses again. */
export function useRefreshAccount(): () => Promise<void> {
  const cache = useResourceCache();
  return async () => {
    await Promise.all([cache.invalidate(['user']), cache.invalidate(['channels'])]);
  };
}

/** The user's email addresses: primary, then verified, then unverified. */
export function useChannels(): Resource<readonly ContactChannel[]> {
  const { app } = useHandler();
  return useOwnResource(['channels'], async () => (await app.contactChannels.list('me')).toSorted(inOrder));
}

function inOrder(a: ContactChannel, b: ContactChannel): number {
  return Number(b.isPrimary) - Number(a.isPrimary) || Number(b.isVerified) - Number(a.isVerified);
}

type Method = 'password' | 'provider' | 'passkey' | 'code';

/** Whether the user can still sign in without `method`. */
export function hasOtherMethod(user: CurrentUser, method: Method): boolean {
  const methods: Record<Method, boolean> = {
    password: user.hasPassword,
    provider: user.oauthProviders.length > 0,
    passkey: user.passkeyAuthEnabled,
    code: user.otpAuthEnabled,
  };
  return Object.entries(methods).some(([name, isThere]) => isThere && name !== method);
}
