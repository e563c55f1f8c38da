import type { AuditClient, PageQuery } from '@gatebook/js/admin';
import type { SessionsClient, UserSession } from '@gatebook/js/core';
import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';

const PAGE_SIZE = 10;

type Props = {
  sessions: SessionsClient;
  audit: AuditClient;
  projectId: string;
  userId: string;
  onRevoked: () => Promise<void>;
};

export function UserSessions({ sessions, audit, projectId, userId, onRevoked }: Props) {
  const load = (page: PageQuery) => sessions.listPage(userId, page);
  const list = usePagedList(['sessions', projectId, userId], load, PAGE_SIZE);
  const [revoking, setRevoking] = useState<UserSession | null>(null);
  const [isRevokingAll, setRevokingAll] = useState(false);
  return (
    <Card
      title="Sessions"
      labelId="sessions-title"
      flush
      actions={
        list.value &&
        list.value.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setRevokingAll(true)}>
            Sign out everywhere
          </Button>
        )
      }
    >
      <Rows list={list} label="Loading sessions" empty="No active sessions">
        {(session) => (
          <Row
            key={session.id}
            small={<SessionFacts session={session} />}
            details={
              <CauseButton
                audit={audit}
                projectId={projectId}
                question="Why did this sign-in succeed?"
                filters={{ type: 'SessionStarted', targetType: 'session', targetId: session.id }}
              />
            }
            actions={
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={`Sign out ${deviceName(session)}`}
                onClick={() => setRevoking(session)}
              >
                Sign out
              </Button>
            }
          >
            {deviceName(session)}{' '}
            {session.isImpersonation && (
              <Badge size="xs" color="orange" variant="light">
                Impersonation
              </Badge>
            )}
          </Row>
        )}
      </Rows>
      {list.pager}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title="Sign out this session?"
        confirmLabel="Sign out"
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

function deviceName({ device: { browser, system } }: UserSession): string {
  if (browser === null || system === null) return browser ?? system ?? 'Unknown device';
  return `${browser} on ${system}`;
}

function SessionFacts({ session: { createdAt, lastUsedAt, place } }: { session: UserSession }) {
  const where = place && [place.city, place.country, place.ip].filter(Boolean).join(', ');
  return (
    <>
      Signed in <RelativeTime at={createdAt} /> ·{' '}
      {lastUsedAt ? (
        <>
          last used <RelativeTime at={lastUsedAt} />
        </>
      ) : (
        'not used since'
      )}
      {where && ` · ${where}`}
    </>
  );
}
