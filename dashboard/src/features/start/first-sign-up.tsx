import type { EventMethods } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Loader, Text } from '@mantine/core';
import { IconCircleCheckFilled, IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { type FirstUser, findFirstUser } from './find-first-user.ts';
import classes from './start.module.css';

type Props = {
  events: Pick<EventMethods, 'listEvents' | 'followEvents'>;
  projectId: string;
  /** Whether the server's own pages can sign users up. */
  canTry: boolean;
  onFound: () => void;
};

/** Waits for the first user of the project, and shows who it is. */
export function FirstSignUp(props: Props) {
  const [retries, setRetries] = useState(0);
  return (
    <Card
      title={t`First sign-up`}
      labelId="first-sign-up-title"
      details={props.canTry && <TryButton projectId={props.projectId} />}
    >
      <Wait key={retries} {...props} onRetry={async () => setRetries(retries + 1)} />
    </Card>
  );
}

/** Opens sign-in pages of the server for the project, which need no app. */
function TryButton({ projectId }: { projectId: string }) {
  return (
    <Button
      component="a"
      href={`/handler/sign-up?${new URLSearchParams({ project_id: projectId })}`}
      target="_blank"
      rel="noopener"
      size="compact-sm"
      variant="default"
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      <Trans>Try the sign-in pages</Trans>
    </Button>
  );
}

function Wait({ events, projectId, onFound, onRetry }: Props & { onRetry: () => Promise<void> }) {
  const [user, setUser] = useState<FirstUser | null>(null);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    findFirstUser(events, stop.signal).then(
      (found) => {
        if (stop.signal.aborted || found === null) return;
        setUser(found);
        onFound();
      },
      (failure: unknown) => void (stop.signal.aborted || setError(failure)),
    );
    return () => stop.abort();
  }, [events, onFound]);
  if (error !== undefined)
    return <ErrorNote title={t`The first sign-up could not be loaded`} error={error} onRetry={onRetry} />;
  return (
    <div role="status" className={classes.waiting}>
      {user === null ? (
        <>
          <Loader size={18} aria-hidden />
          <Text size="sm">
            <Trans>Waiting for the first sign-up. It appears here as soon as it arrives.</Trans>
          </Text>
        </>
      ) : (
        <>
          <IconCircleCheckFilled size={20} className={classes.done} aria-hidden />
          <Text size="sm">
            <Trans>
              Received: <AppLink href={`/projects/${projectId}/users/${user.id}`}>{user.name}</AppLink> signed up.
            </Trans>
          </Text>
        </>
      )}
    </div>
  );
}
