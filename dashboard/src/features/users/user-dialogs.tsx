import { callOfUserUpdate, type Project, type User, type UserChanges, type UsersClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { appPageUrl } from './app-pages.ts';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { ImpersonateDialog } from './impersonate-dialog.tsx';
import { MergeUsersDialog } from './merge-users-dialog.tsx';
import { RestrictUserDialog } from './restrict-user-dialog.tsx';
import { SendLinkDialog } from './send-link-dialog.tsx';
import { SetPasswordDialog } from './set-password-dialog.tsx';

export type UserDialog = 'edit' | 'password' | 'reset' | 'impersonate' | 'restrict' | 'lift' | 'merge' | 'delete';

type UserDialogsProps = {
  open: UserDialog | null;
  onClose: () => void;
  user: User;
  users: UsersClient;
  /** undefined while loading. */
  project: Project | undefined;
  projectId: string;
  update: (changes: UserChanges) => Promise<void>;
  reload: () => Promise<void>;
};

/** The dialogs of a user's page, of which one is open at most. */
export function UserDialogs({ open, onClose, user, users, project, projectId, update, reload }: UserDialogsProps) {
  const cache = useResourceCache();
  const { go } = useNavigation();
  return (
    <>
      <EditUserDialog isOpen={open === 'edit'} onClose={onClose} user={user} update={update} />
      <SetPasswordDialog
        isOpen={open === 'password'}
        onClose={onClose}
        userId={user.id}
        hasPassword={user.hasPassword}
        setPassword={(password) => update({ password })}
      />
      <SendLinkDialog
        isOpen={open === 'reset'}
        onClose={onClose}
        title={t`Send password reset`}
        email={user.primaryEmailAuthEnabled ? user.primaryEmail : null}
        callbackUrl={appPageUrl(project, 'password-reset')}
        projectId={projectId}
        send={users.sendPasswordReset}
      />
      <ImpersonateDialog
        isOpen={open === 'impersonate'}
        onClose={onClose}
        user={user}
        project={project}
        impersonate={users.impersonate}
        onStarted={reload}
      />
      <RestrictUserDialog isOpen={open === 'restrict'} onClose={onClose} user={user} update={update} />
      <ConfirmDialog
        isOpen={open === 'lift'}
        onClose={onClose}
        title={t`Lift this restriction?`}
        confirmLabel={t`Lift restriction`}
        call={callOfUserUpdate(user.id, { restrictedByAdmin: false })}
        onConfirm={() => update({ restrictedByAdmin: false })}
      >
        <Trans>The user can sign in again, and their API keys work again. Sessions that ended stay ended.</Trans>
      </ConfirmDialog>
      <MergeUsersDialog
        isOpen={open === 'merge'}
        onClose={onClose}
        user={user}
        users={users}
        projectId={projectId}
        onMerged={async () => {
          await reload();
          await Promise.all([
            cache.invalidate(['teams', projectId]),
            cache.invalidate(['user', projectId]),
            cache.invalidate(['api-keys', projectId]),
          ]);
        }}
      />
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={onClose}
        title={t`Delete this user?`}
        confirmLabel={t`Delete user`}
        call={{ method: 'DELETE', path: `/users/${user.id}` }}
        typedConfirmation={user.primaryEmail ?? user.displayName ?? user.id}
        onConfirm={async () => {
          await users.delete(user.id);
          go(`/projects/${projectId}/users`, { replace: true });
          await Promise.all([
            cache.invalidate(['users', projectId]),
            cache.invalidate(['metrics', projectId]),
            cache.invalidate(['deleted-users', projectId]),
          ]);
        }}
      >
        <Trans>
          Ends all sessions immediately. If the project has a grace period, you can restore the user until it ends. Then
          the account is erased, and personal data in the history becomes unreadable.
        </Trans>
      </ConfirmDialog>
    </>
  );
}
