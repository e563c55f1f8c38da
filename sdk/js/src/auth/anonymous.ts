import type { TokensView } from '@gatebook/contract/auth';
import { type AuthParts, adoptTokens } from './parts.ts';

export type AnonymousAuth = {
  /** Calls that come while one is running share it. @throws KnownError ANONYMOUS_ACCOUNTS_NOT_ENABLED */
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
        running = null; // also after a failure, which may be tried again
      });
      return running;
    },
  };
};
