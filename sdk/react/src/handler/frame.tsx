import { type CSSProperties, type ReactNode, Suspense } from 'react';
import { useLanguageAttributes } from '../texts/use-texts.ts';
import { Brand } from './brand.tsx';
import { Bones } from './card.tsx';
import { useHandler, useProject } from './context.ts';
import { ImpersonationBanner } from './late-page.tsx';
import { useImpersonation } from './use-impersonation.ts';

/** The layout around every page. */
export function Frame({ children }: { children: ReactNode }) {
  const { app, brand, backdrop, fullPage } = useHandler();
  const impersonation = useImpersonation(app);
  const color = useProject().value?.config.branding?.accentColor;
  const style = color ? ({ '--gbh-brand': color } as CSSProperties) : undefined;
  return (
    <div className="gbh" data-full-page={fullPage} style={style} {...useLanguageAttributes()}>
      {impersonation && (
        <Suspense>
          <ImpersonationBanner app={app} impersonation={impersonation} />
        </Suspense>
      )}
      <header className="gbh-head">{brand ?? <Brand />}</header>
      <main className="gbh-main">
        <div className="gbh-stage">
          {backdrop}
          <Suspense fallback={<Bones />}>{children}</Suspense>
        </div>
      </main>
    </div>
  );
}
