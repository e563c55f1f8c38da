'use client';

import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { createResourceCache } from '../resource-cache.ts';
import { TextProvider } from '../texts/text-provider.tsx';
import { useTexts } from '../texts/use-texts.ts';
import { LoadingCard } from './card.tsx';
import { type HandlerApp, HandlerContext, useHandler } from './context.ts';
import { dispatch, type PageName } from './dispatch.ts';
import { Frame } from './frame.tsx';
import { type GivenSettings, HandlerProvider } from './handler-provider.tsx';
import {
  CliConfirmPage,
  ErrorPage,
  ImpersonationPage,
  OnboardingPage,
  ReportActivityPage,
  TeamInvitationPage,
  UnsubscribePage,
} from './late-page.tsx';
import { usePageUrl } from './location.ts';
import { AccountSettingsPage } from './pages/account-settings-page.tsx';
import { AuthPage } from './pages/auth-page.tsx';
import { EmailVerificationPage } from './pages/email-verification-page.tsx';
import { ForgotPasswordPage } from './pages/forgot-password-page.tsx';
import { MagicLinkPage } from './pages/magic-link-page.tsx';
import { MfaPage } from './pages/mfa-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { OAuthCallbackPage } from './pages/oauth-callback-page.tsx';
import { PasswordResetPage } from './pages/password-reset-page.tsx';
import { SignOutPage } from './pages/sign-out-page.tsx';

export { firstWithTexts } from '../texts/languages.ts';
export { TextProvider } from '../texts/text-provider.tsx';
export { useTexts } from '../texts/use-texts.ts';
export type { HandlerApp } from './context.ts';
export { navigateWithin } from './location.ts';

export type HandlerPagesProps = GivenSettings & {
  app: HandlerApp;
  /** The language as a BCP 47 tag. */
  lang: string;
};
/** What differs from the settings of all pages. */
export type PageSettings = Partial<Record<PageName, GivenSettings>>;

const pages: Readonly<Record<PageName | 'not-found', () => ReactNode>> = {
  'sign-in': () => <AuthPage type="sign-in" />,
  'sign-up': () => <AuthPage type="sign-up" />,
  'sign-out': () => <SignOutPage />,
  'email-verification': () => <EmailVerificationPage />,
  'password-reset': () => <PasswordResetPage />,
  'forgot-password': () => <ForgotPasswordPage />,
  'oauth-callback': () => <OAuthCallbackPage />,
  'magic-link-callback': () => <MagicLinkPage />,
  'team-invitation': () => <TeamInvitationPage />,
  'account-settings': () => <AccountSettingsPage />,
  'cli-auth-confirm': () => <CliConfirmPage />,
  impersonation: () => <ImpersonationPage />,
  mfa: () => <MfaPage />,
  onboarding: () => <OnboardingPage />,
  'report-activity': () => <ReportActivityPage />,
  unsubscribe: () => <UnsubscribePage />,
  error: () => <ErrorPage />,
  'not-found': () => <NotFoundPage />,
};

/** Stands for the page's URL on a server. */
const unknownUrl = 'http://localhost/';

/** Renders the handler page for the current URL. Needs the stylesheet `@gatebook/react/styles.css`. */
export function HandlerPages({ app, lang, ...given }: HandlerPagesProps) {
  const href = usePageUrl();
  const [cache] = useState(createResourceCache);
  useEffect(() => app.session.subscribe(() => void cache.invalidate(['user'])), [app, cache]);
  const url = useMemo(() => new URL(href ?? unknownUrl), [href]);
  return (
    <TextProvider lang={lang}>
      <HandlerProvider app={app} cache={cache} url={url} given={given}>
        <Frame>{href === null ? <LoadingPage /> : <CurrentPage key={url.pathname} />}</Frame>
      </HandlerProvider>
    </TextProvider>
  );
}

/** The page of the current URL. */
export function CurrentPage({ pageSettings = {} }: { pageSettings?: PageSettings }) {
  const settings = useHandler();
  const { app, url } = settings;
  const found = dispatch(app.urls, url);
  const target = 'redirectTo' in found ? found.redirectTo : null;
  useEffect(() => {
    if (target !== null) void app.redirects.toUrl(target, { replace: true });
  }, [app, target]);
  if (!('page' in found)) return <LoadingPage />;
  const { page } = found;
  const own = page === 'not-found' ? {} : pageSettings[page];
  return <HandlerContext.Provider value={{ ...settings, ...own }}>{pages[page]()}</HandlerContext.Provider>;
}

function LoadingPage() {
  const { t } = useTexts();
  return <LoadingCard title={t('One moment')} label={t('Loading')} />;
}
