export {
  type Authenticate,
  type Authentication,
  type AuthOptions,
  createAuthenticate,
  type Rejection,
  type RequestHeaders,
  readAccessToken,
} from './authenticate.ts';
export {
  type AuthenticatedUser,
  createTokenVerifier,
  InvalidTokenError,
  type VerifierOptions,
  type VerifyToken,
} from './tokens.ts';
export { UnavailableError } from './unavailable.ts';
