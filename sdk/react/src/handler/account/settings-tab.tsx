import { useTexts } from '../../texts/use-texts.ts';
import { useHandler } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { useAccount } from './account.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { Section } from './section.tsx';

export function SettingsTab() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { project } = useAccount();
  return (
    <>
      <Section title={t('Sign out')} lead={t('Signs you out on this device only.')}>
        <div className="gbh-row-actions">
          <PageLink to="signOut" look="plain">
            {t('Sign out')}
          </PageLink>
        </div>
      </Section>
      {project.config.clientUserDeletionEnabled && (
        <Section title={t('Delete account')} lead={t('You can no longer sign in, and your data is erased.')}>
          <ConfirmButton
            label={t('Delete my account')}
            tone="plain"
            question={t('Delete your account? This cannot be undone.')}
            confirmLabel={t('Delete account')}
            call={async () => {
              await app.me.delete();
              app.session.invalidate();
              await app.redirects.to('home');
            }}
          />
        </Section>
      )}
    </>
  );
}
