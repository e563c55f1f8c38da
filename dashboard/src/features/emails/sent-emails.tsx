import type { SentEmail } from '@gatebook/js/admin';
import { IconMail } from '@tabler/icons-react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import classes from './emails.module.css';

/** Delivery attempts. */
export function SentEmails({ emails }: { emails: readonly SentEmail[] }) {
  if (emails.length === 0) {
    return (
      <EmptyNote icon={<IconMail size={22} aria-hidden />} title="No emails yet">
        Sign-in codes, verification emails and password resets appear here once they are sent.
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
            {error ? <StatusDot tone="bad">Failed</StatusDot> : <StatusDot tone="good">Sent</StatusDot>}
            <RelativeTime at={sentAt} />
          </div>
        </li>
      ))}
    </ul>
  );
}
