import { z } from 'zod';
import {
  botChallenge,
  email,
  jsonUpTo,
  numberOf,
  password,
  secret,
  signInEmail,
  textOf,
  textUpTo,
  url,
} from './common.ts';

export const TokensView = z.object({ access_token: z.string(), refresh_token: z.string(), user_id: z.uuid() }).meta({
  id: 'Tokens',
  description: 'What a sign-in by password answers. `access_token` is a JWT, `refresh_token` 45 characters.',
});
export type TokensView = z.infer<typeof TokensView>;

/**
 * Passwords have generous limits here: where a password is chosen, its length has errors of its own; where it is
 * compared, a password that is too long is simply wrong (protocol, rule 4).
 */
export const PasswordSignUp = z
  .strictObject({ email: signInEmail, password, verification_callback_url: url.optional(), ...botChallenge })
  .meta({ id: 'PasswordSignUp', description: 'Without `verification_callback_url` no email is sent.' });
export type PasswordSignUp = z.infer<typeof PasswordSignUp>;

export const PasswordSignIn = z.strictObject({ email, password }).meta({ id: 'PasswordSignIn' });
export type PasswordSignIn = z.infer<typeof PasswordSignIn>;

export const PasswordSet = z.strictObject({ password }).meta({ id: 'PasswordSet' });
export type PasswordSet = z.infer<typeof PasswordSet>;

export const PasswordUpdate = z
  .strictObject({ old_password: password, new_password: password })
  .meta({ id: 'PasswordUpdate' });
export type PasswordUpdate = z.infer<typeof PasswordUpdate>;

const grantField = jsonUpTo(8_192).optional();
/** Fields of the grants are optional here, because a missing field is an OAuth error. */
export const TokenRequest = z
  .looseObject({
    grant_type: textOf(z.enum(['refresh_token', 'authorization_code'])),
    client_id: grantField,
    client_secret: grantField,
    refresh_token: grantField,
    code: grantField,
    code_verifier: grantField,
    redirect_uri: grantField,
    scope: grantField,
  })
  .meta({ id: 'TokenRequest', description: 'Further fields are free; which are needed, the grant tells.' });
export type TokenRequest = z.infer<typeof TokenRequest>;

export const TokenGrant = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().positive(),
    scope: z.literal('legacy'),
  })
  .meta({
    id: 'TokenGrant',
    description: '`expires_in` in seconds. A refresh never changes the refresh token, so none comes back.',
  });
export type TokenGrant = z.infer<typeof TokenGrant>;

/** Two fields have two names each, for old and new clients (protocol, auth §8.6). */
export const CodeGrant = TokenGrant.extend({
  refresh_token: z.string(),
  is_new_user: z.boolean(),
  newUser: z.boolean(),
  after_callback_redirect_url: z.string().nullable(),
  afterCallbackRedirectUrl: z.string().nullable(),
}).meta({ id: 'CodeGrant', description: 'What a code of the redirect is exchanged for.' });
export type CodeGrant = z.infer<typeof CodeGrant>;

export const SignInView = z
  .object({ access_token: z.string(), refresh_token: z.string(), user_id: z.uuid(), is_new_user: z.boolean() })
  .meta({ id: 'SignIn', description: 'What every other sign-in answers.' });
export type SignInView = z.infer<typeof SignInView>;

/** A one-time code; case-insensitive. */
const code = textOf(z.string().length(45, 'must have 45 characters'));
export const CodeBody = z.strictObject({ code }).meta({ id: 'Code' });
export type CodeBody = z.infer<typeof CodeBody>;

export const CodeCheck = z.object({ is_code_valid: z.literal(true) }).meta({ id: 'CodeCheck' });
export type CodeCheck = z.infer<typeof CodeCheck>;

export const ActivityReport = z
  .strictObject({ code })
  .meta({ id: 'ActivityReport', description: '`code` of the link of a security notice.' });
export type ActivityReport = z.infer<typeof ActivityReport>;

export const ActivityReported = z
  .object({ success: z.literal(true), reset_email_sent: z.boolean() })
  .meta({ id: 'ActivityReported', description: 'All sessions have ended.' });
export type ActivityReported = z.infer<typeof ActivityReported>;

export const SendResetCode = z.strictObject({ email, callback_url: url }).meta({ id: 'SendResetCode' });
export type SendResetCode = z.infer<typeof SendResetCode>;

export const ResetCodeSent = z
  .object({ success: z.literal('maybe, only if user with e-mail exists') })
  .meta({ id: 'ResetCodeSent', description: 'The same for known and unknown addresses.' });
export type ResetCodeSent = z.infer<typeof ResetCodeSent>;

export const PasswordReset = z.strictObject({ code, password }).meta({ id: 'PasswordReset' });
export type PasswordReset = z.infer<typeof PasswordReset>;

export const SendSignInCode = z
  .strictObject({ email: signInEmail, callback_url: url, ...botChallenge })
  .meta({ id: 'SendSignInCode' });
export type SendSignInCode = z.infer<typeof SendSignInCode>;

export const SignInCodeSent = z
  .object({ nonce: z.string() })
  .meta({ id: 'SignInCodeSent', description: 'The six characters of the mail and this nonce make the whole code.' });
export type SignInCodeSent = z.infer<typeof SignInCodeSent>;

export const SecondFactor = z
  .strictObject({ code, type: textOf(z.literal('totp')), totp: textUpTo(64) })
  .meta({ id: 'SecondFactor' });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const PasskeyStart = z.object({ options_json: z.record(z.string(), z.unknown()), code: z.string() }).meta({
  id: 'PasskeyStart',
  description: 'Options of a ceremony in the JSON form of WebAuthn, and the code that stands for their challenge.',
});
export type PasskeyStart = z.infer<typeof PasskeyStart>;

/** As sent by the browser: attestations contain certificates. */
const credential = jsonUpTo(32_768);
export const PasskeyRegistration = z
  .strictObject({ credential, code })
  .meta({ id: 'PasskeyRegistration', description: '`credential` as the browser gave it.' });
export type PasskeyRegistration = z.infer<typeof PasskeyRegistration>;

export const PasskeyRegistered = z.object({ user_handle: z.string() }).meta({ id: 'PasskeyRegistered' });
export type PasskeyRegistered = z.infer<typeof PasskeyRegistered>;

export const PasskeySignIn = z
  .strictObject({ authentication_response: credential, code })
  .meta({ id: 'PasskeySignIn' });
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;

export const CliLoginStart = z
  .strictObject({
    expires_in_millis: numberOf(z.number().positive().max(86_400_000)).optional(),
    /** The token of the anonymous user whom the command line signed in before. Any other token is ignored. */
    anon_refresh_token: secret.optional(),
  })
  .meta({ id: 'CliLoginStart' });
export type CliLoginStart = z.infer<typeof CliLoginStart>;

export const CliLoginView = z
  .object({ polling_code: z.string(), login_code: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: 'CliLogin' });
export type CliLoginView = z.infer<typeof CliLoginView>;

export const CliLoginComplete = z
  .strictObject({
    login_code: secret,
    mode: textOf(z.enum(['complete', 'check', 'claim-anon-session'])).optional(),
    refresh_token: secret.optional(),
  })
  .refine(({ mode = 'complete', refresh_token }) => mode !== 'complete' || refresh_token !== undefined, {
    path: ['refresh_token'],
    message: 'is required unless `mode` is `check` or `claim-anon-session`',
    // Also if other fields have faults, so that one response lists all.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    id: 'CliLoginComplete',
    description: '`refresh_token` is required unless `mode` is another than `complete`.',
  });
export type CliLoginComplete = z.infer<typeof CliLoginComplete>;

export const CliSessionState = z
  .object({ cli_session_state: z.enum(['none', 'anonymous']) })
  .meta({ id: 'CliSessionState', description: 'Whether an anonymous session of the command line can be handed over.' });
export type CliSessionState = z.infer<typeof CliSessionState>;

export const HandedOverTokens = z
  .object({ access_token: z.string(), refresh_token: z.string() })
  .meta({ id: 'HandedOverTokens' });
export type HandedOverTokens = z.infer<typeof HandedOverTokens>;

export const CliLoginPoll = z.strictObject({ polling_code: secret }).meta({ id: 'CliLoginPoll' });
export type CliLoginPoll = z.infer<typeof CliLoginPoll>;

export const CliLoginState = z.object({ status: z.enum(['waiting', 'expired', 'used']) }).meta({ id: 'CliLoginState' });
export type CliLoginState = z.infer<typeof CliLoginState>;

export const CliLoginSuccess = z
  .object({ status: z.literal('success'), refresh_token: z.string() })
  .meta({ id: 'CliLoginSuccess' });
export type CliLoginSuccess = z.infer<typeof CliLoginSuccess>;

export const JwksView = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        alg: z.literal('ES256'),
        kid: z.string(),
        x: z.string(),
        y: z.string(),
      }),
    ),
  })
  .meta({ id: 'Jwks' });
export type JwksView = z.infer<typeof JwksView>;

/** Metadata of the issuer of access tokens (RFC 8414 §2), with what there is and no more. */
export const IssuerMetadataView = z
  .object({
    issuer: z.url(),
    jwks_uri: z.url(),
    response_types_supported: z.array(z.never()),
    subject_types_supported: z.array(z.literal('public')),
    id_token_signing_alg_values_supported: z.array(z.literal('ES256')),
  })
  .meta({ id: 'IssuerMetadata' });
export type IssuerMetadataView = z.infer<typeof IssuerMetadataView>;
