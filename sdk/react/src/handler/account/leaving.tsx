import { useHandler } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { useAccount } from './account.ts';
import { Confirmed } from './confirmed.tsx';
import { Section } from './section.tsx';

export function Leaving() {
  const { app } = useHandler();
  const { project } = useAccount();
  return (
    <>
      <Section title="Sign out" lead="On this device; other sessions stay.">
        <div className="gbh-row-actions">
          <PageLink to="signOut" look="plain">
            Sign out
          </PageLink>
        </div>
      </Section>
      {project.config.clientUserDeletionEnabled && (
        <Section title="Delete your account" lead="It is gone at once, and so is what is kept about you.">
          <Confirmed
            label="Delete my account"
            tone="plain"
            question="Delete your account? This cannot be undone."
            confirmLabel="Delete it for good"
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
