import { type ComponentType, lazy } from 'react';
import { UnknownErrorCard } from './cards.tsx';

type LatePages = typeof import('./late-pages.tsx');

/** A page that is loaded on demand, so that the sign-in pages stay small. */
export const latePage = <Props extends object>(select: (pages: LatePages) => ComponentType<Props>) =>
  lazy(() =>
    import('./late-pages.tsx').then(
      (pages) => ({ default: select(pages) }),
      (error: unknown) => ({ default: () => <UnknownErrorCard error={error} /> }),
    ),
  );

export const CliConfirmPage = latePage((pages) => pages.CliConfirmPage);
export const ErrorPage = latePage((pages) => pages.ErrorPage);
export const ImpersonationBanner = latePage((pages) => pages.ImpersonationBanner);
export const ImpersonationPage = latePage((pages) => pages.ImpersonationPage);
export const OnboardingPage = latePage((pages) => pages.OnboardingPage);
export const ReportActivityPage = latePage((pages) => pages.ReportActivityPage);
export const TeamInvitationPage = latePage((pages) => pages.TeamInvitationPage);
export const UnsubscribePage = latePage((pages) => pages.UnsubscribePage);
