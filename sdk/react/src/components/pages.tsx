'use client';

import type { ReactNode } from 'react';
import { type AccountItem, type SignInTab, useHandler } from '../handler/context.ts';
import { CurrentPage, type PageSettings } from '../handler/handler-pages.tsx';
import type { GivenSettings } from '../handler/handler-provider.tsx';
import { CliConfirmPage } from '../handler/late-page.tsx';
import { AccountSettingsPage } from '../handler/pages/account-settings-page.tsx';
import { AuthPage as AuthForms } from '../handler/pages/auth-page.tsx';
import { EmailVerificationPage } from '../handler/pages/email-verification-page.tsx';
import { ForgotPasswordPage } from '../handler/pages/forgot-password-page.tsx';
import { PasswordResetPage } from '../handler/pages/password-reset-page.tsx';
import type { MockApiKey, MockProject, MockSession, MockUser } from './mock-app.ts';
import { Part, withoutUndefined } from './part.tsx';

type FullPage = {
  /** Fills the window, and sets the title of the document. */
  fullPage?: boolean;
};
export type SignInProps = FullPage & {
  /** Whether users who are signed in already are redirected; off by default. */
  automaticRedirect?: boolean;
  /** Linked below the forms. */
  termsUrl?: string;
  privacyUrl?: string;
  /** Shown below the forms. */
  extraInfo?: ReactNode;
  /** The method that is shown first after the email address, unless another one was used last in this browser. */
  firstTab?: SignInTab;
  /** For previews: shown in place of the project's settings. */
  mockProject?: MockProject<
    'signUpEnabled' | 'credentialEnabled' | 'passkeyEnabled' | 'magicLinkEnabled' | 'oauthProviders'
  >;
};
export type SignUpProps = SignInProps & { noPasswordRepeat?: boolean };
export type AuthPageProps = SignUpProps & { type: 'sign-in' | 'sign-up' };

export function AuthPage({ type, fullPage, mockProject, ...given }: AuthPageProps) {
  return (
    <Part fullPage={fullPage} given={given} {...(mockProject && { mock: { project: mockProject } })}>
      <AuthForms type={type} />
    </Part>
  );
}

export const SignIn = (props: SignInProps) => <AuthPage type="sign-in" {...props} />;
export const SignUp = (props: SignUpProps) => <AuthPage type="sign-up" {...props} />;

export function ForgotPassword({ fullPage }: FullPage) {
  return (
    <Part fullPage={fullPage}>
      <ForgotPasswordPage />
    </Part>
  );
}

type SearchParams = Readonly<Record<string, string | undefined>>;
export type CodePageProps = FullPage & {
  /** By default those of the page's URL. */
  searchParams?: SearchParams;
};

/** A location with these parameters only. */
const locationOf = (searchParams: SearchParams | undefined): string | undefined =>
  searchParams && `?${new URLSearchParams(withoutUndefined(searchParams) as Record<string, string>)}`;

export function PasswordReset({ fullPage, searchParams }: CodePageProps) {
  return (
    <Part fullPage={fullPage} location={locationOf(searchParams)}>
      <PasswordResetPage />
    </Part>
  );
}

export function EmailVerification({ fullPage, searchParams }: CodePageProps) {
  return (
    <Part fullPage={fullPage} location={locationOf(searchParams)}>
      <EmailVerificationPage />
    </Part>
  );
}

export function CliAuthConfirmation({ fullPage }: FullPage) {
  return (
    <Part fullPage={fullPage}>
      <CliConfirmPage />
    </Part>
  );
}

export type AccountSettingsProps = FullPage & {
  /** Further tabs, after the others. */
  extraItems?: readonly AccountItem[];
  /** For previews: shown in place of what the server has, as are the next three. */
  mockUser?: MockUser;
  mockApiKeys?: readonly MockApiKey[];
  mockProject?: MockProject<'allowUserApiKeys' | 'clientTeamCreationEnabled'>;
  mockSessions?: readonly MockSession[];
};

/** The hash of the page's URL selects the tab. */
export function AccountSettings(props: AccountSettingsProps) {
  const { fullPage, mockUser, mockApiKeys, mockProject, mockSessions, ...given } = props;
  const isMock = (mockUser ?? mockApiKeys ?? mockProject ?? mockSessions) !== undefined;
  const mock = { user: mockUser ?? {}, apiKeys: mockApiKeys, project: mockProject, sessions: mockSessions };
  return (
    <Part fullPage={fullPage} given={given} {...(isMock && { mock })}>
      <AccountSettingsPage />
    </Part>
  );
}

const pageNames = {
  SignIn: 'sign-in',
  SignUp: 'sign-up',
  AccountSettings: 'account-settings',
} as const;
export type GatebookHandlerProps = FullPage & {
  /** The path of the page, if the browser's address has another one. */
  location?: string;
  /** Properties of single pages. */
  componentProps?: {
    SignIn?: Omit<SignInProps, 'fullPage' | 'mockProject'>;
    SignUp?: Omit<SignUpProps, 'fullPage' | 'mockProject'>;
    AccountSettings?: Pick<AccountSettingsProps, 'extraItems'>;
  };
} & Pick<GivenSettings, 'productName' | 'brand' | 'backdrop'>;

/** All pages; render it for every path below `urls.handler` (protocol, client §3.1). */
export function GatebookHandler({ fullPage = true, location, componentProps = {}, ...given }: GatebookHandlerProps) {
  const pageSettings = Object.fromEntries(
    Object.entries(pageNames).map(([name, page]) => [
      page,
      withoutUndefined(componentProps[name as keyof typeof pageNames] ?? {}),
    ]),
  ) as PageSettings;
  return (
    <Part fullPage={fullPage} location={location} given={{ isPage: true, automaticRedirect: true, ...given }}>
      <KeyedPage pageSettings={pageSettings} />
    </Part>
  );
}

function KeyedPage({ pageSettings }: { pageSettings: PageSettings }) {
  const { url } = useHandler();
  return <CurrentPage key={url.pathname} pageSettings={pageSettings} />;
}
