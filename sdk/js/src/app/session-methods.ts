import type { Redirects } from '../redirects.ts';
import type { LinkAccount } from './accounts.ts';
import { type AuthJson, type AuthMethods, authMethods } from './auth-methods.ts';
import type { Connection } from './connection.ts';
import type { Context } from './reads.ts';
import { errorOf, type Result, toResult } from './result.ts';

/** What belongs to the session of a user. */
export type Auth = AuthMethods & { readonly currentSession: { getTokens(): Promise<AuthJson> } };

/** What a user with a session needs. */
export type SessionParts = {
  connection: Connection;
  context: Context;
  redirects: Redirects;
  link: LinkAccount;
  registerPasskey: (options?: { hostname?: string }) => Promise<void>;
};

/** The same with client and server access. */
export function sessionMethods({ connection, redirects, registerPasskey }: SessionParts) {
  const { session, send, cache } = connection;
  const auth = authMethods(() => connection, redirects);
  const changing = async (call: Promise<unknown>): Promise<undefined> => {
    await call;
    await cache.refresh('/users');
  };
  return {
    ...auth,
    currentSession: { getTokens: () => auth.getAuthJson() },
    updatePassword: ({ oldPassword, newPassword }: { oldPassword: string; newPassword: string }) =>
      errorOf(
        changing(send('POST', '/auth/password/update', { old_password: oldPassword, new_password: newPassword })),
        'PASSWORD_CONFIRMATION_MISMATCH',
        'PASSWORD_REQUIREMENTS_NOT_MET',
      ),
    registerPasskey: (options?: { hostname?: string }): Promise<Result> =>
      toResult(changing(registerPasskey(options)), 'PASSKEY_REGISTRATION_FAILED', 'PASSKEY_WEBAUTHN_ERROR'),
    delete: async (): Promise<void> => {
      await send('DELETE', '/users/me', {});
      session.invalidate();
    },
  };
}
