import type { UndeliveredEmail } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { emailTypeNames } from './email-types.ts';
import classes from './emails.module.css';

type Props = { emails: readonly UndeliveredEmail[]; retry: (emailId: string) => Promise<void> };

/** Emails whose delivery failed for good. They can be sent again until their link expires. */
export function UndeliveredEmails({ emails, retry }: Props) {
  const [retrying, setRetrying] = useState<string | null>(null);
  const action = useAction(async (emailId: string) => {
    setRetrying(emailId);
    await retry(emailId).finally(() => setRetrying(null));
  });
  return (
    <>
      {action.error !== undefined && (
        <div className={classes.row}>
          <ErrorNote error={action.error} />
        </div>
      )}
      <ul className={classes.list}>
        {emails.map(({ id, type, to, subject, expiresAt, error }) => (
          <li key={id} className={classes.row}>
            <div className={classes.what}>
              <span className={classes.subject}>{subject || emailTypeNames[type]}</span>
              <span className={classes.to}>{to.join(', ')}</span>
              <span className={classes.reason}>{error?.message ?? t`The email was not sent.`}</span>
            </div>
            <div className={classes.state}>
              <span className={classes.to}>
                <Trans>
                  link expires <RelativeTime at={expiresAt} />
                </Trans>
              </span>
              <Writing>
                <Button
                  size="xs"
                  variant="default"
                  loading={retrying === id}
                  disabled={expiresAt.getTime() <= Date.now()}
                  onClick={() => void action.run(id)}
                  aria-label={t`Resend email to ${to.join(', ')}`}
                >
                  <Trans>Resend email</Trans>
                </Button>
              </Writing>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
