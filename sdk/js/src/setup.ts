import type { TokensView } from '@gatebook/contract/auth';
import type { CompleteSetup, SetupView } from '@gatebook/contract/setup';
import type { Session } from './session.ts';
import type { Send } from './transport.ts';

export type SetupClient = {
  /** Whether the setup link is valid; does not redeem it. */
  check(token: string): Promise<boolean>;
  /** Creates the first owner and signs in. @throws KnownError of the family VERIFICATION_ERROR for an invalid link */
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
