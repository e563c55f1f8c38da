import { isKnownError } from '@gatebook/js/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { EmptyNote, ErrorNote } from '../../components/states.tsx';
import type { WebhooksAccess } from './webhooks-access.ts';

type AccessErrorProps = Pick<WebhooksAccess, 'signIn'> & { error: unknown; onRetry: () => Promise<void> };

/** Why the page shows nothing. A token ends after an hour. */
export function AccessError({ signIn, error, onRetry }: AccessErrorProps) {
  const isTokenError = isKnownError(error, 'INVALID_ADMIN_ACCESS_TOKEN');
  if (!signIn || !isTokenError) return <ErrorNote error={error} onRetry={onRetry} />;
  return (
    <EmptyNote
      title={t`This link has expired`}
      action={
        <Button onClick={signIn}>
          <Trans>Sign in</Trans>
        </Button>
      }
    >
      <Trans>
        Links to this page are valid for one hour. Open it again from your app, or sign in as an owner of the project.
      </Trans>
    </EmptyNote>
  );
}
