import { z } from 'zod';
import { email, signInEmail, text, textOf, url } from './common.ts';

/** What a sign-in by password answers. `access_token` is a JWT, `refresh_token` 45 characters. */
export const TokensView = z
  .object({ access_token: z.string(), refresh_token: z.string(), user_id: z.uuid() })
  .meta({ id: 'Tokens' });
export type TokensView = z.infer<typeof TokensView>;

/*
 * Passwords have no limits here: where one is chosen, its length has errors of its own; where one is compared, a password
 * that is too long is simply wrong (protocol README, decision 4).
 */
export const PasswordSignUp = z
  .strictObject({ email: signInEmail, password: text, verification_callback_url: url })
  .meta({ id: 'PasswordSignUp' });
export type PasswordSignUp = z.infer<typeof PasswordSignUp>;

export const PasswordSignIn = z.strictObject({ email, password: text }).meta({ id: 'PasswordSignIn' });
export type PasswordSignIn = z.infer<typeof PasswordSignIn>;

export const PasswordSet = z.strictObject({ password: text }).meta({ id: 'PasswordSet' });
export type PasswordSet = z.infer<typeof PasswordSet>;

export const PasswordUpdate = z.strictObject({ old_password: text, new_password: text }).meta({ id: 'PasswordUpdate' });
export type PasswordUpdate = z.infer<typeof PasswordUpdate>;

/** Fields of the grants are not checked here, because their absence is an OAuth error; further fields are free. */
export const TokenRequest = z
  .looseObject({
    grant_type: textOf(z.enum(['refresh_token', 'authorization_code'])),
    client_id: z.unknown().optional(),
    client_secret: z.unknown().optional(),
    refresh_token: z.unknown().optional(),
    code: z.unknown().optional(),
    code_verifier: z.unknown().optional(),
    redirect_uri: z.unknown().optional(),
    scope: textOf(z.literal('legacy')).optional(),
  })
  .meta({ id: 'TokenRequest' });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** `expires_in` in seconds. A refresh never changes the refresh token, so none comes back. */
export const TokenGrant = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().positive(),
    scope: z.literal('legacy'),
  })
  .meta({ id: 'TokenGrant' });
export type TokenGrant = z.infer<typeof TokenGrant>;

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
