import type { UserSession } from '@gatebook/js/sessions';
import { useResource } from '../../use-resource.ts';
import { useHandler } from '../context.ts';
import { DoorIcon } from '../icons.tsx';
import { Confirmed } from './confirmed.tsx';
import { Row, Rows, Section } from './section.tsx';
import { timeText } from './times.ts';

/** Where one is signed in, and the way to end it elsewhere. */
export function Sessions() {
  const { app } = useHandler();
  const sessions = useResource(['sessions'], () => app.sessions.list('me'));
  const others = sessions.value?.filter(({ isCurrentSession }) => !isCurrentSession) ?? [];
  return (
    <Section title="Where you are signed in">
      <Rows list={sessions} label="Loading sessions" empty="Nowhere.">
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
        <Confirmed
          label="Sign out everywhere else"
          tone="plain"
          question={`End ${others.length} other sessions?`}
          confirmLabel="End them"
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
      title={isCurrentSession ? 'This session' : 'Another session'}
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
        <Confirmed
          label="Sign out"
          name={`Sign out the session of ${signedIn}`}
          question="End this session?"
          confirmLabel="End it"
          call={end}
        />
      )}
    </Row>
  );
}
