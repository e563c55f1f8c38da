import type { AuditClient } from '@gatebook/js/admin';
import type { SessionsClient, UserSession } from '@gatebook/js/core';
import { useResource } from '@gatebook/react';
import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import classes from './user-page.module.css';

type Props = {
  sessions: SessionsClient;
  audit: AuditClient;
  projectId: string;
  userId: string;
  onRevoked: () => Promise<void>;
};

export function UserSessions({ sessions, audit, projectId, userId, onRevoked }: Props) {
  const list = useResource(['sessions', projectId, userId], () => sessions.list(userId));
  const [revoking, setRevoking] = useState<UserSession | null>(null);
  const [isRevokingAll, setRevokingAll] = useState(false);
  return (
    <Card
      title="Sessions"
      labelId="sessions-title"
      flush
      details={
        list.value &&
        list.value.length > 0 && (
          <Text size="sm" c="dimmed">
            {list.value.length} active
          </Text>
        )
      }
      actions={
        list.value &&
        list.value.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setRevokingAll(true)}>
            Sign out everywhere
          </Button>
        )
      }
    >
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.refresh} isRetrying={list.isFetching} />}
      {list.value === undefined && list.error === undefined && <RowsLoading rows={2} label="Loading sessions" />}
      {list.value?.length === 0 && (
        <Text size="sm" c="dimmed" p="lg">
          No active sessions
        </Text>
      )}
      <ul className={classes.sessions}>
        {list.value?.map((session) => (
          <li key={session.id} className={classes.session}>
            <SessionFacts session={session} />
            <CauseButton
              audit={audit}
              projectId={projectId}
              question="How did this sign-in succeed?"
              filters={{ type: 'SessionStarted', targetType: 'session', targetId: session.id }}
            />
            <Writing>
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRevoking(session)}>
                Revoke session
              </Button>
            </Writing>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Revoke this session?"
        confirmLabel="Revoke session"
        call={revoking ? { method: 'DELETE', path: `/auth/sessions/${revoking.id}` } : undefined}
        onConfirm={async () => {
          if (!revoking) return;
          await sessions.revoke(revoking.id, userId);
          await onRevoked();
        }}
      >
        The device is signed out immediately. The user can sign in again.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isRevokingAll}
        onClose={() => setRevokingAll(false)}
        title="Sign out everywhere?"
        confirmLabel="Sign out everywhere"
        onConfirm={async () => {
          await sessions.revokeAll(userId);
          await onRevoked();
        }}
      >
        All devices are signed out immediately. The user can sign in again.
      </ConfirmDialog>
    </Card>
  );
}

function SessionFacts({ session }: { session: UserSession }) {
  const place =
    session.place && [session.place.city, session.place.country, session.place.ip].filter(Boolean).join(', ');
  return (
    <div className={classes.sessionText}>
      Signed in <RelativeTime at={session.createdAt} />{' '}
      {session.isImpersonation && (
        <Badge size="xs" color="orange" variant="light">
          Impersonation
        </Badge>
      )}
      <small>
        {session.lastUsedAt ? (
          <>
            Last used <RelativeTime at={session.lastUsedAt} />
          </>
        ) : (
          'Not used since sign-in'
        )}
        {place && ` · ${place}`}
      </small>
    </div>
  );
}
