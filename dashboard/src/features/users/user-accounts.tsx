import type { LinkedAccount, User, UsersClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { useMoment } from '../../lib/moment.ts';
import { methodName } from '../../lib/sign-in-methods.ts';

type Props = {
  user: User;
  users: Pick<UsersClient, 'listAccounts' | 'unlinkAccount'>;
  projectId: string;
  onChanged: () => Promise<void>;
};

/** The user's accounts at OAuth providers. */
export function UserAccounts({ user, users, projectId, onChanged }: Props) {
  const { oauthProviders } = user;
  const isPast = useMoment().value !== null;
  // Only these have the IDs that unlinking needs, and no past.
  const linked = useResource(['accounts', projectId, user.id, String(isPast)], async () =>
    isPast || oauthProviders.length === 0 ? [] : users.listAccounts(user.id),
  );
  const [unlinking, setUnlinking] = useState<LinkedAccount | null>(null);
  const list = { value: oauthProviders, error: linked.error, isFetching: linked.isFetching, refresh: linked.refresh };
  return (
    <Card title={t`Connected accounts`} labelId="accounts-title" flush>
      <Rows list={list} label={t`Loading connected accounts`} empty={t`No connected accounts`}>
        {({ id, accountId, email }) => {
          const account = linked.value?.find((each) => each.providerId === id && each.accountId === accountId);
          return (
            <Row
              key={`${id} ${accountId}`}
              small={t`${email ?? t`No email`} · account ${accountId}`}
              actions={
                account && (
                  <Button size="compact-sm" variant="subtle" color="red" onClick={() => setUnlinking(account)}>
                    <Trans>Unlink</Trans>
                  </Button>
                )
              }
            >
              {methodName(id)}
            </Row>
          );
        }}
      </Rows>
      <ConfirmDialog
        isOpen={unlinking !== null}
        onClose={() => setUnlinking(null)}
        title={t`Unlink this account?`}
        confirmLabel={t`Unlink account`}
        call={
          unlinking ? { method: 'DELETE', path: `/oauth-providers/${user.id}/${unlinking.id}`, body: {} } : undefined
        }
        onConfirm={async () => {
          if (!unlinking) return;
          await users.unlinkAccount(user.id, unlinking.id);
          await Promise.all([linked.refresh(), onChanged()]);
        }}
      >
        <Trans>
          The user can no longer sign in with this {unlinking && methodName(unlinking.providerId)} account, unless they
          link it again.
        </Trans>
      </ConfirmDialog>
    </Card>
  );
}
