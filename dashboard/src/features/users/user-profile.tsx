import type { AuditClient, User } from '@gatebook/js/admin';
import { ActionIcon, Badge } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { methodsOf } from '../../lib/sign-in-methods.ts';
import classes from './user-page.module.css';

type Props = { user: User; audit: AuditClient; projectId: string };

export function UserProfile({ user, audit, projectId }: Props) {
  const methods = methodsOf(user);
  return (
    <Card title="Profile" labelId="profile-title">
      <dl className={classes.facts}>
        <dt>Email</dt>
        <dd>
          {user.primaryEmail ?? 'None'}{' '}
          {user.primaryEmail && (
            <Badge size="xs" variant={user.primaryEmailVerified ? 'light' : 'default'}>
              {user.primaryEmailVerified ? 'Verified' : 'Not verified'}
            </Badge>
          )}
        </dd>
        <dt>Sign-in methods</dt>
        <dd>
          {methods.length > 0 ? methods.join(', ') : 'None'}
          {user.isMultiFactorRequired && ', two-factor authentication'}
        </dd>
        <dt>Signed up</dt>
        <dd>
          <RelativeTime at={user.signedUpAt} />
        </dd>
        <dt>Last active</dt>
        <dd>
          <RelativeTime at={user.lastActiveAt} />
        </dd>
        {user.isAnonymous && (
          <>
            <dt>Type</dt>
            <dd>Anonymous (not signed up yet)</dd>
          </>
        )}
        {user.restriction === 'email_not_verified' && (
          <>
            <dt>Restricted</dt>
            <dd>Until the email address is verified</dd>
          </>
        )}
        {user.restrictedByAdmin && <RestrictionFacts user={user} audit={audit} projectId={projectId} />}
        {user.countryCode !== null && (
          <>
            <dt>Country</dt>
            <dd>{user.countryCode}</dd>
          </>
        )}
        <dt>User ID</dt>
        <dd>
          <UserId id={user.id} />
        </dd>
      </dl>
    </Card>
  );
}

function RestrictionFacts({ user, audit, projectId }: Props) {
  return (
    <>
      <dt>Restricted</dt>
      <dd>
        {user.restrictedByAdminReason ?? 'By an administrator, without a reason'}{' '}
        <CauseButton
          audit={audit}
          projectId={projectId}
          question="Why is this user restricted?"
          filters={{ type: 'UserRestricted', targetType: 'user', targetId: user.id }}
        />
      </dd>
      {user.restrictedByAdminPrivateDetails !== null && (
        <>
          <dt>Private details</dt>
          <dd>{user.restrictedByAdminPrivateDetails}</dd>
        </>
      )}
    </>
  );
}

function UserId({ id }: { id: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <span className={classes.id}>
      <code>{id}</code>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={clipboard.copied ? 'Copied' : 'Copy user ID'}
        onClick={() => clipboard.copy(id)}
      >
        {clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
    </span>
  );
}
