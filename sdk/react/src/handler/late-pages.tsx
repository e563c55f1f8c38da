/** Pages that are loaded when one of them is shown. One module, because each further one would split what all share. */
export { AccountSettings } from './account/account-settings.tsx';
export { ImpersonationBanner } from './impersonation-banner.tsx';
export { CliConfirmPage } from './pages/cli-confirm-page.tsx';
export { ErrorPage } from './pages/error-page.tsx';
export { ImpersonationPage } from './pages/impersonation-page.tsx';
export { OnboardingPage } from './pages/onboarding-page.tsx';
export { ReportActivityPage } from './pages/report-activity-page.tsx';
export { TeamInvitationPage } from './pages/team-invitation-page.tsx';
export { UnsubscribePage } from './pages/unsubscribe-page.tsx';
