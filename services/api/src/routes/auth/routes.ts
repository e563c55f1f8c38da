import type { Route } from '../../http/define-route.ts';
import { anonymousSignUpRoute } from './anonymous-sign-up.ts';
import { checkResetCodeRoute, checkSignInCodeRoute, checkVerificationCodeRoute } from './check-code.ts';
import { completeCliLoginRoute, pollCliLoginRoute, startCliLoginRoute } from './cli-login.ts';
import { issuerMetadataRoute, jwksRoute } from './jwks.ts';
import { mfaSignInRoute } from './mfa-sign-in.ts';
import { oauthTokenRoute } from './oauth-token.ts';
import { registerPasskeyRoute, startPasskeyRegistrationRoute } from './passkey-registration.ts';
import { signInWithPasskeyRoute, startPasskeySignInRoute } from './passkey-sign-in.ts';
import { resetPasswordRoute, sendResetCodeRoute } from './password-reset.ts';
import { passwordSetRoute } from './password-set.ts';
import { passwordSignInRoute } from './password-sign-in.ts';
import { passwordSignUpRoute } from './password-sign-up.ts';
import { passwordUpdateRoute } from './password-update.ts';
import { reportActivityRoute } from './report-activity.ts';
import { sendSignInCodeRoute, signInWithCodeRoute } from './sign-in-code.ts';

export const authRoutes: readonly Route[] = [
  jwksRoute,
  issuerMetadataRoute,
  passwordSignUpRoute,
  passwordSignInRoute,
  passwordSetRoute,
  passwordUpdateRoute,
  sendResetCodeRoute,
  resetPasswordRoute,
  reportActivityRoute,
  checkResetCodeRoute,
  sendSignInCodeRoute,
  signInWithCodeRoute,
  checkSignInCodeRoute,
  mfaSignInRoute,
  startPasskeyRegistrationRoute,
  registerPasskeyRoute,
  startPasskeySignInRoute,
  signInWithPasskeyRoute,
  anonymousSignUpRoute,
  startCliLoginRoute,
  completeCliLoginRoute,
  pollCliLoginRoute,
  checkVerificationCodeRoute,
  oauthTokenRoute,
];
