import { registerPasskey, startPasskeyRegistration } from '@gatebook/commands/sign-in/passkey';
import { newChallenge, registrationOptions } from '@gatebook/commands/sign-in/passkey-options';
import { PasskeyRegistered, PasskeyRegistration, PasskeyStart } from '@gatebook/contract/auth';
import { reject } from '@gatebook/domain/errors';
import { clientAndUp, ownUser } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors } from './errors.ts';

/** What an authenticator shows for a user without a name and email address. */
const namelessUser = 'Your account';

/** (protocol, auth §5.1) Ignores the body. */
export const startPasskeyRegistrationRoute = defineRoute({
  method: 'POST',
  path: '/auth/passkey/initiate-passkey-registration',
  access: clientAndUp,
  session: 'recent',
  needsUser: true,
  limit: 'passkey-challenge',
  errors: ['PASSKEY_AUTHENTICATION_NOT_ENABLED'],
  tags: ['Sign-in'],
  summary: 'Start a passkey registration',
  description:
    'Returns options for `navigator.credentials.create` and the code that the registration must send back. The body is ignored.',
  response: { 200: PasskeyStart },
  handle: async ({ deps, caller, context }) => {
    const user = ownUser(caller);
    const { displayName: projectName, config } = caller.project;
    const challenge = newChallenge();
    const { code } = await startPasskeyRegistration(deps, context, { userId: user.id, challenge, config });
    const userName = user.displayName ?? user.primaryEmail ?? namelessUser;
    const options_json = registrationOptions({ projectName, userId: user.id, userName, challenge });
    return { position: null, body: { options_json, code } };
  },
});

/** (protocol, auth §5.2) */
export const registerPasskeyRoute = defineRoute({
  method: 'POST',
  path: '/auth/passkey/register',
  access: clientAndUp,
  session: 'own',
  limit: 'code',
  errors: [
    'USER_AUTHENTICATION_REQUIRED',
    'PASSKEY_AUTHENTICATION_NOT_ENABLED',
    ...codeErrors,
    'PASSKEY_REGISTRATION_FAILED',
    'PASSKEY_AUTHENTICATION_FAILED',
  ],
  tags: ['Sign-in'],
  summary: 'Register a passkey',
  description: 'A user has one passkey. A new passkey replaces the previous one.',
  body: PasskeyRegistration,
  response: { 200: PasskeyRegistered },
  handle: async ({ deps, caller, context, body }) => {
    const user = caller.user ?? reject('USER_AUTHENTICATION_REQUIRED');
    const { code, credential } = body;
    const { config } = caller.project;
    const registering = { userId: user.id, code, credential, config };
    const { credentialId, position } = await registerPasskey(deps, context, registering);
    return { position, body: { user_handle: credentialId } };
  },
});
