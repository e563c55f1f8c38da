import type { TokensView } from '@gatebook/contract/auth';
import type { CompleteSetup, SetupView } from '@gatebook/contract/setup';
import type { Session } from './session.ts';
import type { Send } from './transport.ts';

export type SetupClient = {
  /** Whether the link is still good; does not use it up. */
  check(token: string): Promise<boolean>;
  /** Makes the first owner and signs in as them. @throws KnownError of the family VERIFICATION_ERROR for a bad link */
  complete(input: { token: string; email: string; password: string; displayName: string | null }): Promise<void>;
};

export const setupClient = (send: Send, session: Session): SetupClient => ({
  check: async (token) => (await send<SetupView>('GET', `/internal/setup?${new URLSearchParams({ token })}`)).is_valid,
  complete: async ({ token, email, password, displayName }) => {
    const tokens = await send<TokensView>('POST', '/internal/setup', {
      token,
      email,
      password,
      ...(displayName !== null && { display_name: displayName }),
    } satisfies CompleteSetup);
    session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  },
});
