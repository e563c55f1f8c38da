import type { OAuthClient } from '../auth/oauth.ts';
import type { SignedIn } from '../auth/parts.ts';
import type { PasskeySignInOptions } from '../auth/passkey.ts';
import type { AppCore } from './app-core.ts';
import type { Connection } from './connection.ts';

/** Sign-in that needs a browser; loaded on first use. */
export type Ceremonies = {
  oauth(connection: Connection): Promise<OAuthClient>;
  signInWithPasskey(options?: PasskeySignInOptions): Promise<SignedIn>;
  registerPasskey(connection: Connection, options?: { hostname?: string }): Promise<void>;
};

export function ceremoniesOf({ options, server, sendWithoutSession, redirects, own }: AppCore): Ceremonies {
  const { parts = {}, oauthScopesOnSignIn: scopesOnSignIn = {} } = options;
  const passkeys = async ({ session, send }: Connection) => {
    const { passkeyAuth } = await import('./browser-sign-in.ts');
    return passkeyAuth({ session, send, sendWithoutSession }, parts.ceremonies);
  };
  return {
    oauth: async ({ session, send }) => {
      const { oauthClient } = await import('./browser-sign-in.ts');
      const page = parts.oauthPage && { page: parts.oauthPage };
      return oauthClient({ ...server, session, send, sendWithoutSession, redirects, scopesOnSignIn, ...page });
    },
    signInWithPasskey: async (given) => (await passkeys(own())).signInWithPasskey(given),
    registerPasskey: async (connection, options) => (await passkeys(connection)).registerPasskey(options),
  };
}
