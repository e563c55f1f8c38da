import type { AuditClient, User } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { countryName } from '../../lib/country-name.ts';
import { methodsOf } from '../../lib/sign-in-methods.ts';
import { useCopy } from '../../lib/use-copy.ts';
import classes from './user-profile.module.css';

type Props = { user: User; audit: AuditClient; projectId: string };

export function UserProfile({ user, audit, projectId }: Props) {
  const methods = methodsOf(user);
  return (
    <Card title={t`Profile`} labelId="profile-title">
      <Facts>
        <Fact name={t`Email`}>
          {user.primaryEmail ?? t`None`}{' '}
          {user.primaryEmail && (
            <Badge size="xs" variant={user.primaryEmailVerified ? 'light' : 'default'}>
              {user.primaryEmailVerified ? t`Verified` : t`Not verified`}
            </Badge>
          )}
        </Fact>
        <Fact name={t`Sign-in methods`}>
          {methods.length > 0 ? methods.join(', ') : t`None`}
          {user.isMultiFactorRequired && t`, two-factor authentication`}
        </Fact>
        <Fact name={t`Signed up`}>
          <RelativeTime at={user.signedUpAt} />
        </Fact>
        <Fact name={t`Last active`}>
          <RelativeTime at={user.lastActiveAt} />
        </Fact>
        {user.isAnonymous && (
          <Fact name={t`Type`}>
            <Trans>Anonymous (not signed up yet)</Trans>
          </Fact>
        )}
        {user.restriction === 'email_not_verified' && (
          <Fact name={t`Restricted`}>
            <Trans>Until the email address is verified</Trans>
          </Fact>
        )}
        {user.restrictedByAdmin && <RestrictionFacts user={user} audit={audit} projectId={projectId} />}
        {user.countryCode !== null && <Fact name={t`Country`}>{countryName(user.countryCode)}</Fact>}
        <Fact name={t`User ID`}>
          <UserId id={user.id} />
        </Fact>
      </Facts>
    </Card>
  );
}

function RestrictionFacts({ user, audit, projectId }: Props) {
  return (
    <>
      <Fact name={t`Restricted`}>
        {user.restrictedByAdminReason ?? t`By an administrator, without a reason`}{' '}
        <CauseButton
          audit={audit}
          projectId={projectId}
          question={t`Why is this user restricted?`}
          filters={{ type: 'UserRestricted', targetType: 'user', targetId: user.id }}
        />
      </Fact>
      {user.restrictedByAdminPrivateDetails !== null && (
        <Fact name={t`Private details`}>{user.restrictedByAdminPrivateDetails}</Fact>
      )}
    </>
  );
}

function UserId({ id }: { id: string }) {
  const { ref, ...copying } = useCopy(id);
  return (
    <span className={classes.id}>
      <code ref={ref}>{id}</code>
      <CopyButton {...copying} label={t`user ID`} size="sm" variant="subtle" color="gray" />
    </span>
  );
}
