import type { GatebookClientApp, gatebookInternals } from '@gatebook/js';
import type { GatebookProviderProps } from '@gatebook/react';
import type { AccountSettingsProps, GatebookHandlerProps, SignInProps, SignUpProps } from '@gatebook/react/pages';

export type StackProviderProps = Omit<GatebookProviderProps, 'app' | 'translationOverrides'> & {
  /** An app of any kind. */
  app: Pick<GatebookClientApp, typeof gatebookInternals>;
  /** From English texts of Gatebook's components to other ones. Texts of the published components are ignored. */
  translationOverrides?: Readonly<Record<string, string>>;
};

/** Pages whose properties have no effect in the handler. */
type OtherPage =
  | ('CliAuthConfirmation' | 'EmailVerification' | 'ErrorPage' | 'ForgotPassword' | 'MagicLinkCallback' | 'MFA')
  | ('OAuthCallback' | 'Onboarding' | 'PasswordReset' | 'SignOut' | 'TeamInvitation');

export type StackHandlerProps = Omit<GatebookHandlerProps, 'componentProps'> & {
  componentProps?: { SignIn?: SignInProps; SignUp?: SignUpProps; AccountSettings?: AccountSettingsProps } & {
    [Page in OtherPage]?: object;
  };
  /** Deprecated, as the next three: the app comes from the provider, the path from `location` or the browser. */
  app?: unknown;
  routeProps?: unknown;
  params?: unknown;
  searchParams?: unknown;
};

export const handlerProps = ({
  app: _app,
  routeProps: _route,
  params: _params,
  searchParams: _search,
  fullPage = false,
  ...props
}: StackHandlerProps): GatebookHandlerProps => ({ fullPage, ...props });
