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
            <h1 className="gbh-title">Create the owner account</h1>
            <p className="gbh-lead">This server is running and has no owner yet.</p>
            <div className="gbh-body">
              <p>
                Open the setup link in the terminal where Gatebook was started. In a container, it is in the log. It
                looks like this:
              </p>
              <p>
                <code className="handler-code">{origin}/setup?token=…</code>
              </p>
              <p>The link works once and for one day. To get a new one, restart Gatebook: it prints the link again.</p>
            </div>
          </section>
        </div>
      </main>
    </div>
  );
}
