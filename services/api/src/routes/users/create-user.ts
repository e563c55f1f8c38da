import { createUser } from '@gatebook/commands/user/create-user';
import { NewUser, ServerUserView, UsersQuery } from '@gatebook/contract/users';
import { findUser, type UserRow } from '@gatebook/readmodel/users/queries';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { userFieldErrors } from './rules.ts';
import { decidedUser, toServerUserView, toUserInput } from './wire.ts';

export const createUserRoute = defineRoute({
  method: 'POST',
  path: '/users',
  bodySize: 'large',
  access: serverAndUp,
  // The holder of a password or verified address that was invented could act as the person whom an app takes them for.
  role: 'developer',
  isPreviewable: true,
  isQueryIgnored: true,
  errors: [
    ...userFieldErrors,
    'USER_ID_TAKEN',
    'SIGN_UP_TIME_IN_FUTURE',
    'USER_OAUTH_PROVIDER_UNKNOWN',
    'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
  ],
  tags: ['Users'],
  summary: 'Create a user',
  description:
    'Sends no email. The address is not verified and not used for sign-in unless the body says so. Send either a password or its hash: bcrypt, Argon2id, scrypt, Firebase scrypt or PBKDF2. For an import, send the ID and the time of the sign-up too.',
  query: UsersQuery,
  body: NewUser,
  response: { 201: ServerUserView },
  handle: async ({ deps, request, caller, context, body }) => {
    const { userId, position } = await createUser(deps, context, {
      ...toUserInput(body),
      isAnonymous: body.is_anonymous,
      id: body.id,
      signedUpAtMillis: body.signed_up_at_millis,
      oauthAccounts: body.oauth_providers?.map(({ id, account_id, email }) => {
        return { provider: id, accountId: account_id, email: email ?? null };
      }),
      project: caller.project,
    });
    // The user as of before the project created a personal team (protocol, resources §1.4).
    const toView = (user: UserRow) => toServerUserView(request, { ...user, selectedTeam: null });
    return {
      position,
      body: async () => toView(await findUser(deps.db, caller.projectId, userId)),
      stale: () => toView(decidedUser(caller.projectId, userId, body, deps.now())),
    };
  },
});
