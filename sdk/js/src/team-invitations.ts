import type { Send } from './transport.ts';

/** Team invitations by the code from the email. Each call counts as an attempt; a code allows 20. */
export type TeamInvitationsClient = {
  /** @throws KnownError VERIFICATION_CODE_NOT_FOUND, …_EXPIRED, …_ALREADY_USED, …_MAX_ATTEMPTS_REACHED */
  check(code: string): Promise<void>;
  /** Requires a signed-in user. @throws KnownError as `check`, USER_AUTHENTICATION_REQUIRED */
  find(code: string): Promise<{ teamDisplayName: string }>;
  /** Joins the team. @throws KnownError as `find` */
  accept(code: string): Promise<void>;
};

const path = '/team-invitations/accept';

export const teamInvitationsClient = (send: Send): TeamInvitationsClient => ({
  check: async (code) => {
    await send('POST', `${path}/check-code`, { code });
  },
  find: async (code) => {
    const view = await send<{ team_display_name: string }>('POST', `${path}/details`, { code });
    return { teamDisplayName: view.team_display_name };
  },
  accept: async (code) => {
    await send('POST', path, { code });
  },
});
