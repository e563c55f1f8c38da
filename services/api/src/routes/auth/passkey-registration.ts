import { registerPasskey, startPasskeyRegistration } from '@gatebook/commands/sign-in/passkey';
import { PasskeyRegistered, PasskeyRegistration, PasskeyStart } from '@gatebook/contract/auth';
import { reject } from '@gatebook/domain/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, ownUser } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { newChallenge, registrationOptions } from '../../webauthn.ts';

/** What an authenticator shows for a user without name and address. */
const namelessUser = 'Your account';

/** Protocol, auth §5.1. Any body is taken and ignored. */
export const startPasskeyRegistrationRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/passkey/initiate-passkey-registration', {
      config: { needsUser: true, limitedAs: 'passkey-challenge' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Begin to register a passkey',
        description:
          'Answers options for `navigator.credentials.create`, and the code to come back with. Any body is taken and ignored.',
        response: { 200: PasskeyStart },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const user = ownUser(caller);
        const { displayName: projectName, config } = caller.project.project;
        const challenge = newChallenge();
        const context = contextOf(request, caller);
        const { code } = await startPasskeyRegistration(deps, context, { userId: user.id, challenge, config });
        const userName = user.displayName ?? user.primaryEmail ?? namelessUser;
        return { options_json: registrationOptions({ projectName, userId: user.id, userName, challenge }), code };
      },
    });
  };

/** Protocol, auth §5.2. */
export const registerPasskeyRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/passkey/register', {
      config: { limitedAs: 'code' },
      schema: {
        tags: ['Sign-in'],
        summary: 'Register a passkey',
        description: 'A user has one passkey: a new one takes the place of the one before.',
        body: PasskeyRegistration,
        response: { 200: PasskeyRegistered },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const user = caller.user ?? reject('USER_AUTHENTICATION_REQUIRED');
        const { code, credential } = request.body;
        const { config } = caller.project.project;
        const context = contextOf(request, caller);
        const registering = { userId: user.id, code, credential, config };
        const { credentialId, position } = await registerPasskey(deps, context, registering);
        await waitFor(deps, reply, position);
        return { user_handle: credentialId };
      },
    });
  };
