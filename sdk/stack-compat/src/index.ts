/** Apps, hooks and components of Gatebook under the names of `@stackframe/react`, which include `@stackframe/js`. */
export {
  type CurrentUser,
  GatebookTheme as HexclaveTheme,
  GatebookTheme as StackTheme,
  type Team,
  useGatebookApp as useHexclaveApp,
  useGatebookApp as useStackApp,
  useUser,
} from '@gatebook/react';
export {
  AccountSettings,
  AuthPage,
  CliAuthConfirmation,
  type CliAuthConfirmationState,
  type CliAuthConfirmationStatus,
  CredentialSignIn,
  CredentialSignUp,
  EmailVerification,
  ForgotPassword,
  MagicLinkSignIn,
  MessageCard,
  OAuthButton,
  OAuthButtonGroup,
  PasswordReset,
  SelectedTeamSwitcher,
  SignIn,
  SignUp,
  TeamSwitcher,
  UserAvatar,
  UserButton,
  useCliAuthConfirmation,
} from '@gatebook/react/pages';
export * from './js.ts';
export {
  StackClientApp,
  StackClientApp as HexclaveClientApp,
  type StackClientAppConstructor,
  type StackClientAppConstructor as HexclaveClientAppConstructor,
} from './react-app.ts';
export {
  StackHandler,
  StackHandler as HexclaveHandler,
  StackProvider,
  StackProvider as HexclaveProvider,
} from './react-components.tsx';
