import { callOfUserUpdate, type User, type UserChanges } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';

type Props = { user: User; update: (changes: UserChanges) => Promise<void> };

type Credential = {
  name: string;
  isSet: (user: User) => boolean;
  button: string;
  question: string;
  explanation: string;
  changes: UserChanges;
};

const credentials: readonly Credential[] = [
  {
    name: t`Password`,
    isSet: ({ hasPassword }) => hasPassword,
    button: t`Remove password`,
    question: t`Remove the password?`,
    explanation: t`Ends all sessions immediately. The user needs another way to sign in, or sets a new password by email.`,
    changes: { password: null },
  },
  {
    name: t`Email code`,
    isSet: ({ otpAuthEnabled }) => otpAuthEnabled,
    button: t`Turn off`,
    question: t`Turn off sign-in by email code?`,
    explanation: t`The user can no longer sign in with a code or a link sent by email.`,
    changes: { otpAuthEnabled: false },
  },
  {
    name: t`Passkey`,
    isSet: ({ passkeyAuthEnabled }) => passkeyAuthEnabled,
    button: t`Remove passkey`,
    question: t`Remove the passkey?`,
    explanation: t`The user can no longer sign in with it. After signing in another way, they can add a new one.`,
    changes: { passkeyAuthEnabled: false },
  },
  {
    name: t`Two-factor authentication`,
    isSet: ({ isMultiFactorRequired }) => isMultiFactorRequired,
    button: t`Reset two-factor`,
    question: t`Reset two-factor authentication?`,
    explanation: t`The user signs in without a second factor until they set one up again. Make sure that it is the user who asked for it.`,
    changes: { totpSecret: null },
  },
];

/** The credentials of a user, which an owner can remove. Providers have their own card. */
export function UserMethods({ user, update }: Props) {
  const [removing, setRemoving] = useState<Credential | null>(null);
  const value = credentials.filter(({ isSet }) => isSet(user));
  return (
    <Card title={t`Credentials`} labelId="credentials-title" flush>
      <Rows
        list={{ value, error: undefined, isFetching: false, refresh: async () => {} }}
        label={t`Loading credentials`}
        empty={t`No credentials`}
      >
        {(credential) => (
          <Row
            key={credential.name}
            actions={
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRemoving(credential)}>
                {credential.button}
              </Button>
            }
          >
            {credential.name}
          </Row>
        )}
      </Rows>
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={removing?.question ?? ''}
        confirmLabel={removing?.button ?? ''}
        call={removing ? callOfUserUpdate(user.id, removing.changes) : undefined}
        onConfirm={async () => removing && update(removing.changes)}
      >
        {removing?.explanation}
      </ConfirmDialog>
    </Card>
  );
}
