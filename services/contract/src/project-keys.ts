import { z } from 'zod';
import { description, flag, listOf, millis, uuid } from './common.ts';

const facts = {
  id: z.uuid(),
  description: z.string(),
  created_at_millis: z.number().int(),
  expires_at_millis: z.number().int(),
};
const tail = z.object({ last_four: z.string() }).optional();

export const ProjectKeyFirstView = z
  .object({
    ...facts,
    publishable_client_key: z.string().optional(),
    secret_server_key: z.string().optional(),
    super_secret_admin_key: z.string().optional(),
  })
  .meta({ id: 'NewProjectKey', description: 'The only answer that holds whole key texts.' });
export type ProjectKeyFirstView = z.infer<typeof ProjectKeyFirstView>;

export const ProjectKeyView = z
  .object({
    ...facts,
    manually_revoked_at_millis: z.number().int().optional(),
    /** To the minute; absent if never. */
    last_used_at_millis: z.number().int().optional(),
    publishable_client_key: tail,
    secret_server_key: tail,
    super_secret_admin_key: tail,
  })
  .meta({ id: 'ProjectKey' });
export type ProjectKeyView = z.infer<typeof ProjectKeyView>;

export const ProjectKeyListView = listOf(ProjectKeyView).meta({ id: 'ProjectKeyList' });
export type ProjectKeyListView = z.infer<typeof ProjectKeyListView>;

export const CreateProjectKey = z
  .strictObject({
    description,
    expires_at_millis: millis,
    has_publishable_client_key: flag,
    has_secret_server_key: flag,
    has_super_secret_admin_key: flag,
  })
  .meta({ id: 'CreateProjectKey' });
export type CreateProjectKey = z.infer<typeof CreateProjectKey>;

export const ProjectKeyPatch = z
  .strictObject({ description: description.optional(), revoked: flag.pipe(z.literal(true)).optional() })
  .meta({ id: 'ProjectKeyPatch', description: 'Revoking is one-way.' });
export type ProjectKeyPatch = z.infer<typeof ProjectKeyPatch>;

export const ProjectKeyRotation = z
  .strictObject({ expires_at_millis: millis, old_expires_at_millis: millis })
  .meta({ id: 'ProjectKeyRotation', description: 'When the new key set expires, and the old one, if not sooner.' });
export type ProjectKeyRotation = z.infer<typeof ProjectKeyRotation>;

export const ProjectKeyParams = z.strictObject({ key_id: uuid });

export const FirstRequestView = z
  .object({
    first_request: z
      .object({
        at_millis: z.number().int(),
        access_type: z.enum(['client', 'server', 'admin']),
        key: z
          .object({ id: z.uuid(), description: z.string() })
          .nullable()
          .meta({ description: 'null: of a client without a key.' }),
        client: z.string().nullable().meta({
          description:
            'What sent it: a client library with its version, or the name of a browser or program. null: unknown.',
        }),
      })
      .nullable()
      .meta({ description: 'null: none was accepted yet.' }),
    latest_rejection: z
      .object({
        request_id: z.string(),
        at_millis: z.number().int(),
        error_code: z.string(),
        route: z.string().meta({ description: 'Method and template of the path.' }),
        reason: z.string(),
      })
      .nullable()
      .meta({ description: 'Of the last hour.' }),
  })
  .meta({ id: 'FirstRequest' });
export type FirstRequestView = z.infer<typeof FirstRequestView>;
