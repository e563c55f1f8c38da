import { z } from 'zod';
import { description, flag, millis, pagedListOf, pageFields, secret, userId, uuid } from './common.ts';

const facts = {
  id: z.uuid(),
  description: z.string(),
  is_public: z.boolean(),
  created_at_millis: z.number().int(),
  /** Both are omitted when unset. */
  expires_at_millis: z.number().int().optional(),
  manually_revoked_at_millis: z.number().int().optional(),
};
const tail = z.object({ last_four: z.string() });
const ofUser = { type: z.literal('user'), user_id: z.uuid() };
const ofTeam = { type: z.literal('team'), team_id: z.uuid() };

export const UserApiKeyFirstView = z
  .object({ ...facts, ...ofUser, value: z.string() })
  .meta({ id: 'NewUserApiKey', description: 'The only answers that hold a key’s whole text.' });
export const TeamApiKeyFirstView = z.object({ ...facts, ...ofTeam, value: z.string() }).meta({ id: 'NewTeamApiKey' });
export type ApiKeyFirstView = z.infer<typeof UserApiKeyFirstView> | z.infer<typeof TeamApiKeyFirstView>;
export const UserApiKeyView = z.object({ ...facts, ...ofUser, value: tail }).meta({ id: 'UserApiKey' });
export const TeamApiKeyView = z.object({ ...facts, ...ofTeam, value: tail }).meta({ id: 'TeamApiKey' });
export type ApiKeyView = z.infer<typeof UserApiKeyView> | z.infer<typeof TeamApiKeyView>;
export const ApiKeyList = pagedListOf(z.union([UserApiKeyView, TeamApiKeyView])).meta({
  id: 'ApiKeyList',
  description: 'All of one kind.',
});

export const ApiKeyUsesQuery = z.strictObject({
  owner_id: uuid.meta({ description: 'The ID of a user or a team.' }),
});
export const ApiKeyUses = z
  .object({ items: z.array(z.object({ api_key_id: z.uuid(), last_used_at_millis: z.number().int() })) })
  .meta({ id: 'ApiKeyUses' });
export type ApiKeyUses = z.infer<typeof ApiKeyUses>;

const newKey = { description, expires_at_millis: millis.nullable(), is_public: flag.optional() };
export const CreateUserApiKey = z.strictObject({ ...newKey, user_id: userId }).meta({ id: 'CreateUserApiKey' });
export const CreateTeamApiKey = z.strictObject({ ...newKey, team_id: uuid }).meta({ id: 'CreateTeamApiKey' });

export const ApiKeyPatch = z
  .strictObject({
    description: description.optional(),
    expires_at_millis: millis.nullable().optional(),
    revoked: flag.pipe(z.literal(true)).optional(),
  })
  .meta({ id: 'ApiKeyPatch', description: 'Revoking is one-way.' });

export const ApiKeyRotation = z
  .strictObject({ expires_at_millis: millis.nullable(), old_expires_at_millis: millis })
  .meta({
    id: 'ApiKeyRotation',
    description: 'When the new key expires (null: never), and the old one, if not sooner.',
  });
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>;

export const ApiKeyParams = z.strictObject({ api_key_id: uuid });
export const UserApiKeysQuery = z.strictObject({ user_id: userId, ...pageFields });
export const TeamApiKeysQuery = z.strictObject({ team_id: uuid, ...pageFields });
export const TeamApiKeyQuery = z.strictObject({ team_id: uuid });
/** Accepted by requests for one key and ignored. */
export const UserApiKeyQuery = z.strictObject({ user_id: userId.optional() });

export const GivenApiKey = z
  .strictObject({ api_key: secret })
  .meta({ id: 'GivenApiKey', description: 'Whatever the text is: one that no key has is simply not found.' });
