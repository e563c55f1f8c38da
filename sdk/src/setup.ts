import type { Session } from './session.ts';
import type { Send } from './transport.ts';
import type { TokensView } from './wire.ts';

export type SetupClient = {
  /** Makes the first owner and signs in as them. @throws KnownError of the family VERIFICATION_ERROR for a bad link */
  complete(input: { token: string; email: string; password: string; displayName: string | null }): Promise<void>;
};

export const setupClient = (send: Send, session: Session): SetupClient => ({
  complete: async ({ token, email, password, displayName }) => {
    const tokens = await send<TokensView>('POST', '/internal/setup', {
      token,
      email,
      password,
      ...(displayName !== null && { display_name: displayName }),
    });
    session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  },
});
