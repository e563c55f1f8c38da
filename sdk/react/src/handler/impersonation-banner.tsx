import type { Impersonation } from '@gatebook/js/core';
import { useEffect } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import type { HandlerApp } from './context.ts';
import { Button } from './controls.tsx';

type App = Pick<HandlerApp, 'session' | 'auth' | 'redirects'>;

/** Says that somebody acts for the user, and ends it on request and at the end of its time. */
export function ImpersonationBanner({ app, impersonation }: { app: App; impersonation: Impersonation }) {
  const { t, lang, errorText } = useTexts();
  const { name, endsAt } = impersonation;
  const time = new Intl.DateTimeFormat(lang, { timeStyle: 'short' }).format(endsAt);
  const end = useAction(async () => {
    await app.auth.signOut();
    await app.redirects.to('afterSignOut');
  });
  const endMillis = endsAt.getTime();
  useEffect(() => {
    const timer = setTimeout(
      () => {
        app.session.invalidate();
        void app.redirects.to('afterSignOut');
      },
      Math.max(0, endMillis - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [app, endMillis]);
  return (
    <div className="gbh-impersonation" role="status">
      <span>
        {end.error === undefined ? t('You are acting as {name} until {time}.', { name, time }) : errorText(end.error)}
      </span>
      <Button tone="plain" onClick={() => void end.run()} isBusy={end.isRunning}>
        {t('Stop acting')}
      </Button>
    </div>
  );
}
