import type { User } from '@gatebook/js/admin';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { methodName } from '../../lib/sign-in-methods.ts';

/** The user's accounts at OAuth providers. */
export function UserAccounts({ user: { oauthProviders } }: { user: User }) {
  const list = { value: oauthProviders, error: undefined, isFetching: false, refresh: async () => {} };
  return (
    <Card title="Connected accounts" labelId="accounts-title" flush>
      <Rows list={list} label="Loading connected accounts" empty="No connected accounts">
        {({ id, accountId, email }) => (
          <Row key={`${id} ${accountId}`} small={`${email ?? 'No email'} · account ${accountId}`}>
            {methodName(id)}
          </Row>
        )}
      </Rows>
    </Card>
  );
}
