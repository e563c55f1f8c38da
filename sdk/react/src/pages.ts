'use client';

export {
  CredentialSignIn,
  CredentialSignUp,
  MagicLinkSignIn,
  MessageCard,
  type MessageCardProps,
  OAuthButton,
  OAuthButtonGroup,
} from './components/forms.tsx';
export { ImpersonationBanner } from './components/impersonation-banner.tsx';
export {
  AccountSettings,
  type AccountSettingsProps,
  AuthPage,
  type AuthPageProps,
  CliAuthConfirmation,
  type CodePageProps,
  EmailVerification,
  ForgotPassword,
  GatebookHandler,
  type GatebookHandlerProps,
  PasswordReset,
  SignIn,
  type SignInProps,
  SignUp,
  type SignUpProps,
} from './components/pages.tsx';
export {
  SelectedTeamSwitcher,
  type SelectedTeamSwitcherProps,
  TeamSwitcher,
  type TeamSwitcherProps,
} from './components/team-switcher.tsx';
export {
  type CliAuthConfirmationState,
  type CliAuthConfirmationStatus,
  useCliAuthConfirmation,
} from './components/use-cli-auth-confirmation.ts';
export { UserAvatar, type UserAvatarProps, UserButton, type UserButtonProps } from './components/user-button.tsx';
