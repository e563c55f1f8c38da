import type { AnonymousAuth } from './auth/anonymous.ts';
import { isKnownError } from './errors.ts';
import type { CurrentUser, MeClient } from './me.ts';
import type { Redirects } from './redirects.ts';
import type { Session } from './session.ts';

/**
 * What to do without a signed-in user. Anonymous users count as signed out, except with the two `anonymous` values.
 */
export type OrElse = 'return-null' | 'anonymous-if-exists' | 'redirect' | 'throw' | 'anonymous';
/** @throws Error if signed out, with `or: 'throw'` */
export type GetUser = (options?: { or?: OrElse }) => Promise<CurrentUser | null>;

type Parts = { me: MeClient; session: Session; auth: AnonymousAuth; redirects: Redirects };

/** (protocol, client §9) */
export function createGetUser({ me, session, auth, redirects }: Parts): GetUser {
  const find = async (): Promise<CurrentUser | null> => {
    if (!session.isSignedIn()) return null;
    try {
      return await me.find();
    } catch (error) {
      // The session may end between the check and the response.
      if (isKnownError(error, 'CANNOT_GET_OWN_USER_WITHOUT_USER')) return null;
      throw error;
    }
  };
  return async ({ or = 'return-null' } = {}) => {
    const user = await find();
    if (user && (!user.isAnonymous || or === 'anonymous' || or === 'anonymous-if-exists')) return user;
    if (or === 'throw') throw new Error('No user is signed in.');
    if (or === 'redirect') await redirects.to('signIn', { replace: true });
    if (or !== 'anonymous') return null;
    await auth.signUpAnonymously();
    return find();
  };
}
