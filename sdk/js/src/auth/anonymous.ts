import type { TokensView } from '@gatebook/contract/auth';
import { type AuthParts, adoptTokens } from './parts.ts';

export type AnonymousAuth = {
  /** Concurrent calls share one sign-up. @throws KnownError ANONYMOUS_ACCOUNTS_NOT_ENABLED */
  signUpAnonymously(): Promise<void>;
};

export const anonymousAuth = ({ sendWithoutSession, session }: AuthParts): AnonymousAuth => {
  let running: Promise<void> | null = null;
  const signUp = async (): Promise<void> => {
    adoptTokens(session, await sendWithoutSession<TokensView>('POST', '/auth/anonymous/sign-up', {}));
  };
  return {
    signUpAnonymously: () => {
      running ??= signUp().finally(() => {
        running = null; // Also after a failure, so that it can be retried.
      });
      return running;
    },
  };
};
