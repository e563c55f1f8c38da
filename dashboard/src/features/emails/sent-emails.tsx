import type { SentEmail } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconMail } from '@tabler/icons-react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import classes from './emails.module.css';

/** Delivery attempts. */
export function SentEmails({ emails }: { emails: readonly SentEmail[] }) {
  if (emails.length === 0) {
    return (
      <EmptyNote icon={<IconMail size={22} aria-hidden />} title={t`No emails yet`}>
        <Trans>Sign-in codes, verification emails and password resets appear here once they are sent.</Trans>
      </EmptyNote>
    );
  }
  return (
    <ul className={classes.list}>
      {emails.map(({ id, to, subject, sentAt, error }) => (
        <li key={id} className={classes.row}>
          <div className={classes.what}>
            <span className={classes.subject}>{subject}</span>
            <span className={classes.to}>{to.join(', ')}</span>
            {error && <span className={classes.reason}>{error.message}</span>}
          </div>
          <div className={classes.state}>
            {error ? (
              <StatusDot tone="bad">
                <Trans>Failed</Trans>
              </StatusDot>
            ) : (
              <StatusDot tone="good">
                <Trans>Sent</Trans>
              </StatusDot>
            )}
            <RelativeTime at={sentAt} />
          </div>
        </li>
      ))}
    </ul>
  );
}
