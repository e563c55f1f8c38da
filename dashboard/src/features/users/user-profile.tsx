import type { AuditClient, User } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Badge } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { countryName } from '../../lib/country-name.ts';
import { methodsOf } from '../../lib/sign-in-methods.ts';
import classes from './user-profile.module.css';

type Props = { user: User; audit: AuditClient; projectId: string };

export function UserProfile({ user, audit, projectId }: Props) {
  const methods = methodsOf(user);
  return (
    <Card title={t`Profile`} labelId="profile-title">
      <dl className={classes.facts}>
        <dt>
          <Trans>Email</Trans>
        </dt>
        <dd>
          {user.primaryEmail ?? t`None`}{' '}
          {user.primaryEmail && (
            <Badge size="xs" variant={user.primaryEmailVerified ? 'light' : 'default'}>
              {user.primaryEmailVerified ? t`Verified` : t`Not verified`}
            </Badge>
          )}
        </dd>
        <dt>
          <Trans>Sign-in methods</Trans>
        </dt>
        <dd>
          {methods.length > 0 ? methods.join(', ') : t`None`}
          {user.isMultiFactorRequired && t`, two-factor authentication`}
        </dd>
        <dt>
          <Trans>Signed up</Trans>
        </dt>
        <dd>
          <RelativeTime at={user.signedUpAt} />
        </dd>
        <dt>
          <Trans>Last active</Trans>
        </dt>
        <dd>
          <RelativeTime at={user.lastActiveAt} />
        </dd>
        {user.isAnonymous && (
          <>
            <dt>
              <Trans>Type</Trans>
            </dt>
            <dd>
              <Trans>Anonymous (not signed up yet)</Trans>
            </dd>
          </>
        )}
        {user.restriction === 'email_not_verified' && (
          <>
            <dt>
              <Trans>Restricted</Trans>
            </dt>
            <dd>
              <Trans>Until the email address is verified</Trans>
            </dd>
          </>
        )}
        {user.restrictedByAdmin && <RestrictionFacts user={user} audit={audit} projectId={projectId} />}
        {user.countryCode !== null && (
          <>
            <dt>
              <Trans>Country</Trans>
            </dt>
            <dd>{countryName(user.countryCode)}</dd>
          </>
        )}
        <dt>
          <Trans>User ID</Trans>
        </dt>
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
      <dt>
        <Trans>Restricted</Trans>
      </dt>
      <dd>
        {user.restrictedByAdminReason ?? t`By an administrator, without a reason`}{' '}
        <CauseButton
          audit={audit}
          projectId={projectId}
          question={t`Why is this user restricted?`}
          filters={{ type: 'UserRestricted', targetType: 'user', targetId: user.id }}
        />
      </dd>
      {user.restrictedByAdminPrivateDetails !== null && (
        <>
          <dt>
            <Trans>Private details</Trans>
          </dt>
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
        aria-label={clipboard.copied ? t`Copied` : t`Copy user ID`}
        onClick={() => clipboard.copy(id)}
      >
        {clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
    </span>
  );
}
