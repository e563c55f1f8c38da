import { useHandler } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { useAccount } from './account.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { Section } from './section.tsx';

export function SettingsTab() {
  const { app } = useHandler();
  const { project } = useAccount();
  return (
    <>
      <Section title="Sign out" lead="Signs you out on this device only.">
        <div className="gbh-row-actions">
          <PageLink to="signOut" look="plain">
            Sign out
          </PageLink>
        </div>
      </Section>
      {project.config.clientUserDeletionEnabled && (
        <Section title="Delete account" lead="You can no longer sign in, and your data is erased.">
          <ConfirmButton
            label="Delete my account"
            tone="plain"
            question="Delete your account? This cannot be undone."
            confirmLabel="Delete account"
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
