import type { AuditClient, PageQuery } from '@gatebook/js/admin';
import type { SessionsClient, UserSession } from '@gatebook/js/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { countryName } from '../../lib/country-name.ts';
import { deviceName } from '../../lib/device-name.ts';

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
      title={t`Sessions`}
      labelId="sessions-title"
      flush
      actions={
        list.value &&
        list.value.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setRevokingAll(true)}>
            <Trans>Sign out everywhere</Trans>
          </Button>
        )
      }
    >
      <Rows list={list} label={t`Loading sessions`} empty={t`No active sessions`}>
        {(session) => (
          <Row
            key={session.id}
            small={<SessionFacts session={session} />}
            details={
              <CauseButton
                audit={audit}
                projectId={projectId}
                question={t`Why did this sign-in succeed?`}
                filters={{ type: 'SessionStarted', targetType: 'session', targetId: session.id }}
              />
            }
            actions={
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t`Sign out ${deviceName(session.device)}`}
                onClick={() => setRevoking(session)}
              >
                <Trans>Sign out</Trans>
              </Button>
            }
          >
            {deviceName(session.device)}{' '}
            {session.isImpersonation && (
              <Badge size="xs" color="orange" variant="light">
                <Trans>Impersonation</Trans>
              </Badge>
            )}
          </Row>
        )}
      </Rows>
      {list.pager}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t`Sign out this session?`}
        confirmLabel={t`Sign out`}
        call={revoking ? { method: 'DELETE', path: `/auth/sessions/${revoking.id}?user_id=${userId}` } : undefined}
        onConfirm={async () => {
          if (!revoking) return;
          await sessions.revoke(revoking.id, userId);
          await onRevoked();
        }}
      >
        <Trans>The device is signed out immediately. The user can sign in again.</Trans>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isRevokingAll}
        onClose={() => setRevokingAll(false)}
        title={t`Sign out everywhere?`}
        confirmLabel={t`Sign out everywhere`}
        onConfirm={async () => {
          await sessions.revokeAll(userId);
          await onRevoked();
        }}
      >
        <Trans>All devices are signed out immediately. The user can sign in again.</Trans>
      </ConfirmDialog>
    </Card>
  );
}

function SessionFacts({ session: { createdAt, lastUsedAt, place } }: { session: UserSession }) {
  const where = place && [place.city, place.country && countryName(place.country), place.ip].filter(Boolean).join(', ');
  return (
    <Trans>
      Signed in <RelativeTime at={createdAt} /> ·{' '}
      {lastUsedAt ? (
        <Trans>
          last used <RelativeTime at={lastUsedAt} />
        </Trans>
      ) : (
        t`not used since`
      )}
      {where && ` · ${where}`}
    </Trans>
  );
}
