import type { FirstRequest as Found, ProjectKeysClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Loader, Text } from '@mantine/core';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { AppLink } from '../../components/app-link.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { usePolling } from '../../lib/use-polling.ts';
import classes from './start.module.css';

const pollMs = 3_000;

type Props = {
  keys: Pick<ProjectKeysClient, 'findFirstRequest'>;
  projectId: string;
  /** Rejections are of no interest any more. */
  hasUsers: boolean;
};

/** Waits for the first request of an app, shows what sent it, and says why the latest request was rejected. */
export function FirstRequest({ keys, projectId, hasUsers }: Props) {
  const found = useResource(['first-request', projectId], keys.findFirstRequest);
  const { value, error } = found;
  usePolling(found.refresh, pollMs, error === undefined && !(value?.firstRequest && hasUsers));
  const isOver = ({ at }: { at: Date }) => hasUsers || (value?.firstRequest && at < value.firstRequest.at);
  const rejection = value?.latestRejection && !isOver(value.latestRejection) ? value.latestRejection : null;
  return (
    <Card title={t`First request`} labelId="first-request-title">
      {error !== undefined && (
        <ErrorNote
          title={t`The first request could not be loaded`}
          error={error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {value === undefined && error === undefined && <BlockLoading height={24} label={t`Loading first request`} />}
      {value && (
        <div role="status" className={classes.waiting}>
          {value.firstRequest ? (
            <Received request={value.firstRequest} projectId={projectId} />
          ) : (
            <>
              <Loader size={18} aria-hidden />
              <Text size="sm">
                <Trans>Waiting for the first request of your app. It appears here within seconds.</Trans>
              </Text>
            </>
          )}
        </div>
      )}
      {rejection && <Rejected rejection={rejection} projectId={projectId} />}
    </Card>
  );
}

type ReceivedProps = { request: NonNullable<Found['firstRequest']>; projectId: string };

function Received({ request: { at, accessType, key, client }, projectId }: ReceivedProps) {
  const access = { client: t`client access`, server: t`server access`, admin: t`admin access` }[accessType];
  return (
    <>
      <IconCircleCheckFilled size={20} className={classes.done} aria-hidden />
      <Text size="sm" className={classes.received}>
        <Trans>Received:</Trans> <RelativeTime at={at} />
        {client !== null && (
          <>
            {' · '}
            <code>{client}</code>
          </>
        )}
        {' · '}
        {access}
        {' · '}
        {key === null ? (
          <Trans>without a key</Trans>
        ) : (
          <Trans>
            key <AppLink href={`/projects/${projectId}/settings/keys`}>{key.description || key.id}</AppLink>
          </Trans>
        )}
      </Text>
    </>
  );
}

type RejectedProps = { rejection: NonNullable<Found['latestRejection']>; projectId: string };

const Rejected = ({ rejection: { requestId, at, errorCode, reason }, projectId }: RejectedProps) => (
  <div role="status" className={`${classes.note} ${classes.rejected}`}>
    <Text size="sm" fw={600}>
      <Trans>
        The latest rejected request: <RelativeTime at={at} />
      </Trans>
    </Text>
    <Text size="sm">
      <code>{errorCode}</code>: {reason}
    </Text>
    <AppLink href={`/projects/${projectId}/rejections/${encodeURIComponent(requestId)}`} size="sm">
      <Trans>Show why it was rejected</Trans>
    </AppLink>
  </div>
);
