import { reject } from '@gatebook/domain/errors';
import { findOAuthAccount, type OAuthAccount } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { accountRefOf } from '../reservation/oauth-account.ts';
import { decideOnUser } from '../user/decide-on-user.ts';
import { findUser } from '../user/load-user.ts';

const takenRejection = { code: 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN', details: {} } as const;

type NewOAuthAccount = {
  userId: string;
  project: ProjectFacts;
  provider: string;
  accountId: string;
  email: string | null;
  allowSignIn: boolean;
  allowConnectedAccounts: boolean;
};

/**
 * Adds an account at a provider to a user on behalf of a server (protocol, resources §9.2). A provider account belongs
 * to one user of the project at most, and is added once.
 * @throws DomainError USER_NOT_FOUND, OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED,
 * OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN
 */
export async function addOAuthAccount(
  deps: WriteDeps,
  ctx: Context,
  { userId, project, ...account }: NewOAuthAccount,
): Promise<CommandResult<{ id: string }>> {
  const [id, at] = [deps.newId(), deps.now()];
  const accountRef = accountRefOf(deps, ctx.projectId, account);
  const user = await findUser(deps, ctx, userId);
  const isConfigured = project.config.oauthProviders.some((provider) => provider.id === account.provider);
  if (!isConfigured) reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  rejectOwnAccount(user.oauthAccounts, accountRef);
  const command = { type: 'LinkOAuthAccount', id, accountRef, ...account, isOnlyOne: false, at } as const;
  const { position } = await transact(deps, ctx, (work) =>
    decideOnUser(work, { userId, commands: [command], at, takenRejection }),
  );
  return { id, position };
}

type OAuthAccountChange = {
  userId: string;
  id: string;
  accountId?: string | undefined;
  email?: string | undefined;
  allowSignIn?: boolean | undefined;
  allowConnectedAccounts?: boolean | undefined;
  keepsSignIn: boolean;
};

/**
 * Omitted fields are unchanged. With another account ID, the tokens of the earlier account are discarded.
 * @throws DomainError USER_NOT_FOUND, OAUTH_ACCOUNT_NOT_FOUND, OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN,
 * LAST_SIGN_IN_METHOD
 */
export async function changeOAuthAccount(
  deps: WriteDeps,
  ctx: Context,
  { userId, id, accountId, ...change }: OAuthAccountChange,
): Promise<CommandResult<{ account: OAuthAccount }>> {
  const at = deps.now();
  const user = await findUser(deps, ctx, userId);
  const { provider, accountRef: before } = findOAuthAccount(user, id) ?? reject('OAUTH_ACCOUNT_NOT_FOUND');
  const account = accountId === undefined ? undefined : refer(deps, ctx, provider, accountId);
  if (account && account.accountRef !== before) rejectOwnAccount(user.oauthAccounts, account.accountRef);
  const command = { type: 'ChangeOAuthAccount', id, account, ...change, at } as const;
  const { result, position } = await transact(deps, ctx, async (work) => {
    const { state } = await decideOnUser(work, { userId, commands: [command], at, takenRejection });
    return state.status === 'active' ? findOAuthAccount(state, id) : undefined;
  });
  return { account: result ?? reject('OAUTH_ACCOUNT_NOT_FOUND'), position };
}

/** @throws DomainError USER_NOT_FOUND, OAUTH_ACCOUNT_NOT_FOUND, LAST_SIGN_IN_METHOD */
export async function removeOAuthAccount(
  deps: WriteDeps,
  ctx: Context,
  { userId, ...account }: { userId: string; id: string; keepsSignIn: boolean },
): Promise<CommandResult> {
  const at = deps.now();
  const command = { type: 'UnlinkOAuthAccount', ...account, at } as const;
  return transact(deps, ctx, async (work) => {
    await decideOnUser(work, { userId, commands: [command], at });
  });
}

function refer(deps: WriteDeps, { projectId }: Context, provider: string, accountId: string) {
  return { accountId, accountRef: accountRefOf(deps, projectId, { provider, accountId }) };
}

function rejectOwnAccount(accounts: readonly OAuthAccount[], accountRef: string): void {
  if (accounts.some((account) => account.accountRef === accountRef)) reject(takenRejection.code);
}
