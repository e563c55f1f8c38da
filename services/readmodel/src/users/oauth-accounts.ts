import { reject } from '@gatebook/domain/errors';
import { defineQuery, type ReadDb } from '../read-db.ts';

export type OAuthAccountDetailsRow = {
  id: string;
  userId: string;
  provider: string;
  /** null only while the user is being erased. */
  accountId: string | null;
  email: string | null;
  allowSignIn: boolean;
  allowConnectedAccounts: boolean;
};

const listQuery = defineQuery({
  name: 'list-oauth-accounts',
  sql: (schema: string) => `select o.id, o.user_id as "userId", o.provider, o.account_id as "accountId", o.email,
      o.allow_sign_in as "allowSignIn", o.allow_connected_accounts as "allowConnectedAccounts"
    from ${schema}.oauth_accounts o
    where o.project_id = $1 and ($2::uuid is null or o.user_id = $2) and ($3::uuid is null or o.id = $3)
    order by o.linked_at, o.id limit $4`,
});

type Filter = { userId: string | null; id?: string };

/** Accounts at providers, in the order of linking, at most `limit`; of one user if given. */
export function listOAuthAccounts(
  db: ReadDb,
  projectId: string,
  { userId, id }: Filter,
  limit: number,
): Promise<OAuthAccountDetailsRow[]> {
  return db.rows<OAuthAccountDetailsRow>(listQuery, [projectId, userId, id ?? null, limit]);
}

/** @throws DomainError OAUTH_ACCOUNT_NOT_FOUND, also for an account of another user */
export async function findOAuthAccount(
  db: ReadDb,
  projectId: string,
  account: { userId: string; id: string },
): Promise<OAuthAccountDetailsRow> {
  const [row] = await listOAuthAccounts(db, projectId, account, 1);
  return row ?? reject('OAUTH_ACCOUNT_NOT_FOUND');
}
