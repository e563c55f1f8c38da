import type { UserSession } from '@gatebook/js/core';
import { useTexts } from '../../texts/use-texts.ts';
import { useHandler } from '../context.ts';
import { DoorIcon } from '../icons.tsx';
import { useOwnResource } from './account.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { Row, Rows, Section } from './section.tsx';
import { timeText } from './times.ts';

/** The user's active sessions; all but the current one can be ended here. */
export function Sessions() {
  const { t } = useTexts();
  const { app } = useHandler();
  const sessions = useOwnResource(['sessions'], () => app.sessions.list('me'));
  const others = sessions.value?.filter(({ isCurrentSession }) => !isCurrentSession) ?? [];
  return (
    <Section title={t("Where you're signed in")}>
      <Rows list={sessions} label={t('Loading sessions')} empty={t('No active sessions.')}>
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
          label={t('Sign out everywhere else')}
          tone="plain"
          question={t('Sign out of {count} other sessions?', { count: others.length })}
          confirmLabel={t('Sign out')}
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
  const { t, lang } = useTexts();
  const { isCurrentSession, isImpersonation, createdAt, lastUsedAt, place, device } = session;
  const deviceText = [device.browser, device.system].filter(Boolean).join(', ');
  const which = isCurrentSession ? t('This session') : t('Other session');
  const where = [place?.city, place?.country, place?.ip].filter(Boolean).join(', ');
  const signedIn = timeText(createdAt, lang);
  return (
    <Row
      icon={<DoorIcon />}
      title={deviceText || which}
      badges={[...(deviceText && isCurrentSession ? [which] : []), ...(isImpersonation ? [t('Support')] : [])]}
      small={
        <>
          <span>{t('Signed in {time}', { time: signedIn })}</span>
          {lastUsedAt && <span>{t('Last used {time}', { time: timeText(lastUsedAt, lang) })}</span>}
          {where && <span>{where}</span>}
        </>
      }
    >
      {!isCurrentSession && (
        <ConfirmButton
          label={t('Sign out')}
          name={t('Sign out of the session from {time}', { time: signedIn })}
          question={t('Sign out of this session?')}
          confirmLabel={t('Sign out')}
          call={end}
        />
      )}
    </Row>
  );
}
