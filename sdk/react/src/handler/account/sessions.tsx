import type { UserSession } from '@gatebook/js/core';
import { useResource } from '../../use-resource.ts';
import { useHandler } from '../context.ts';
import { DoorIcon } from '../icons.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Row, Rows, Section } from './section.tsx';
import { timeText } from './times.ts';

/** The user's active sessions; all but the current one can be ended here. */
export function Sessions() {
  const { app } = useHandler();
  const sessions = useResource(['sessions'], () => app.sessions.list('me'));
  const others = sessions.value?.filter(({ isCurrentSession }) => !isCurrentSession) ?? [];
  return (
    <Section title="Where you're signed in">
      <Rows list={sessions} label="Loading sessions" empty="No active sessions.">
        {(session) => (
          <Session
            key={session.id}
            session={session}
            end={async () => {
              await app.sessions.revoke(session.id, 'me');
              await sessions.refresh();
            }}
          />
        )}
      </Rows>
      {others.length > 1 && (
        <ConfirmButton
          label="Sign out everywhere else"
          tone="plain"
          question={`Sign out of ${others.length} other sessions?`}
          confirmLabel="Sign out"
          call={async () => {
            for (const { id } of others) await app.sessions.revoke(id, 'me');
            await sessions.refresh();
          }}
        />
      )}
    </Section>
  );
}

function Session({ session, end }: { session: UserSession; end: () => Promise<void> }) {
  const { isCurrentSession, isImpersonation, createdAt, lastUsedAt, place } = session;
  const where = [place?.city, place?.country, place?.ip].filter(Boolean).join(', ');
  const signedIn = timeText(createdAt);
  return (
    <Row
      icon={<DoorIcon />}
      title={isCurrentSession ? 'This session' : 'Other session'}
      badges={isImpersonation ? ['Support'] : []}
      small={
        <>
          <span>Signed in {signedIn}</span>
          {lastUsedAt && <span>Last used {timeText(lastUsedAt)}</span>}
          {where && <span>{where}</span>}
        </>
      }
    >
      {!isCurrentSession && (
        <ConfirmButton
          label="Sign out"
          name={`Sign out of the session from ${signedIn}`}
          question="Sign out of this session?"
          confirmLabel="Sign out"
          call={end}
        />
      )}
    </Row>
  );
}
