import type { HandlerTexts } from './english-texts.tsx';
import { Brand, Gate } from './mark.tsx';

/** Shown instead of the sign-in pages until the first owner exists. */
export function SetupNotice({ origin, texts }: { origin: string; texts: HandlerTexts }) {
  return (
    <div className="gbh" data-full-page="true">
      <header className="gbh-head">
        <Brand />
      </header>
      <main className="gbh-main">
        <div className="gbh-stage">
          <Gate />
          <section className="gbh-card">
            <h1 className="gbh-title">{texts.setupTitle}</h1>
            <p className="gbh-lead">{texts.setupLead}</p>
            <div className="gbh-body">
              <p>{texts.setupLink}</p>
              <p>
                <code className="handler-code">{`${origin}/setup?token=…`}</code>
              </p>
              <p>{texts.setupNewLink}</p>
            </div>
          </section>
        </div>
      </main>
    </div>
  );
}
