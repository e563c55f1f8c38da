import { Trans } from '@lingui/react/macro';
import { Brand, Gate } from './mark.tsx';

/** Shown instead of the sign-in pages until the first owner exists. */
export function SetupNotice({ origin }: { origin: string }) {
  return (
    <div className="gbh" data-full-page="true">
      <header className="gbh-head">
        <Brand />
      </header>
      <main className="gbh-main">
        <div className="gbh-stage">
          <Gate />
          <section className="gbh-card">
            <h1 className="gbh-title">
              <Trans>Create the owner account</Trans>
            </h1>
            <p className="gbh-lead">
              <Trans>This server is running and has no owner yet.</Trans>
            </p>
            <div className="gbh-body">
              <p>
                <Trans>
                  Open the setup link in the terminal where Gatebook was started. In a container, it is in the log. It
                  looks like this:
                </Trans>
              </p>
              <p>
                <code className="handler-code">
                  <Trans>{origin}/setup?token=…</Trans>
                </code>
              </p>
              <p>
                <Trans>
                  The link works once and for one day. To get a new one, restart Gatebook: it prints the link again.
                </Trans>
              </p>
            </div>
          </section>
        </div>
      </main>
    </div>
  );
}
