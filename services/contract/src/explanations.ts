import { z } from 'zod';
import { AuditActor, AuditEventView } from './audit.ts';
import { textOf, uuid } from './common.ts';
import { permissionId } from './permissions.ts';

export const PermissionExplanationQuery = z.strictObject({
  user_id: uuid,
  permission_id: permissionId,
  team_id: uuid.optional().meta({ description: 'For a permission in a team.' }),
});

const actor = AuditActor.pick({ kind: true, id: true, display_name: true, impersonator: true });

export const CauseView = z
  .object({
    id: z.uuid(),
    type: z.string(),
    at_millis: z.number().int(),
    actor,
  })
  .meta({ id: 'Cause', description: 'The event that made something begin or end, and who caused it.' });
export type CauseView = z.infer<typeof CauseView>;

export const PermissionStepView = z
  .object({
    kind: z.enum(['membership', 'grant', 'default_grant', 'containment', 'definition']).meta({
      description:
        '`default_grant`: granted when the user signed up or joined. `containment`: `permission_id` contains `contained_permission_id`.',
    }),
    permission_id: z.string().nullable().meta({ description: 'null: the step is a membership.' }),
    contained_permission_id: z.string().nullable(),
    holds: z.boolean(),
    relevance: z
      .enum(['high', 'normal'])
      .meta({ description: '`high`: the answer would change if this step alone were different.' }),
    since_event: CauseView.nullable().meta({ description: 'null: it never began, or it is built in.' }),
    until_event: CauseView.nullable().meta({ description: 'null: it holds, or never began.' }),
  })
  .meta({ id: 'PermissionStep' });
export type PermissionStepView = z.infer<typeof PermissionStepView>;

const path = z.object({ steps: z.array(PermissionStepView) }).meta({
  id: 'PermissionPath',
  description: 'From the user to the permission.',
});

export const PermissionExplanationView = z
  .object({
    is_granted: z.boolean(),
    scope: z.enum(['team', 'project']),
    permission_id: z.string(),
    user_id: z.uuid(),
    team_id: z.uuid().nullable(),
    as_of_event_id: z
      .uuid()
      .nullable()
      .meta({ description: 'null: it explains the present or, in a rejection, the time of the rejection.' }),
    paths: z.array(path).meta({ description: 'Every way in which the user has the permission, at most 50.' }),
    nearest_miss: path.nullable().meta({
      description: 'If it is not granted: the path with the fewest steps that do not hold.',
    }),
    would_grant: z.array(z.string()).meta({
      description:
        'If it is not granted: permissions of which one grant is enough. Empty if no grant is, as for a user who is not a member.',
    }),
    is_truncated: z.boolean().meta({
      description: 'There are more paths, or a stream is too long to name the causes in its later part.',
    }),
  })
  .meta({ id: 'PermissionExplanation' });
export type PermissionExplanationView = z.infer<typeof PermissionExplanationView>;

export const RejectionParams = z.strictObject({
  request_id: textOf(
    z
      .string()
      .max(16)
      .regex(/^[0-9a-hjkmnp-tv-z]{16}$/, 'must be a request ID'),
  ),
});

export const CheckView = z
  .object({
    name: z.string(),
    passed: z.boolean().nullable().meta({ description: 'null: an earlier check failed first.' }),
    detail: z.string(),
  })
  .meta({ id: 'Check' });
export type CheckView = z.infer<typeof CheckView>;

export const RejectionView = z
  .object({
    request_id: z.string(),
    precision: z.enum(['request', 'window']).meta({
      description:
        '`window`: too many requests were rejected at that time to keep each. Only what is known of all rejections of the window like this one is given.',
    }),
    error_code: z.string().nullable().meta({ description: 'null: one of several, which `window` lists.' }),
    status: z.number().int().nullable(),
    route: z.string().nullable().meta({ description: 'Method and template of the path.' }),
    at_millis: z.number().int().nullable(),
    caller: z.object({
      access_type: z.string().nullable(),
      actor: actor.nullable().meta({ description: 'null: the credentials were rejected, or the actor is erased.' }),
      user_id: z.uuid().nullable().meta({ description: 'The account that was tried or used.' }),
      network: z.string().nullable().meta({ description: 'The first bits of the address.' }),
    }),
    window: z
      .object({
        from_millis: z.number().int(),
        until_millis: z.number().int(),
        rejections: z.array(z.object({ error_code: z.string(), route: z.string(), count: z.number().int() })),
      })
      .nullable()
      .meta({ description: 'How often the window of five minutes has such rejections. null: they are not counted.' }),
    checks: z
      .array(CheckView)
      .meta({ description: 'In the order in which they run. The first that did not pass is the cause.' }),
    permission_explanation: PermissionExplanationView.nullable(),
  })
  .meta({ id: 'Rejection' });
export type RejectionView = z.infer<typeof RejectionView>;

export const AuditChainView = z
  .object({
    action_id: z.string().meta({ description: 'The request that the chain began with.' }),
    causes: z.array(AuditEventView).meta({ description: 'From the cause of the event up to the first one.' }),
    effects: z
      .array(AuditEventView)
      .meta({ description: 'Events that it caused, directly or through others; of each step, oldest first.' }),
    is_truncated: z.boolean().meta({ description: 'There are more than 200 causes or effects.' }),
  })
  .meta({ id: 'AuditChain' });
export type AuditChainView = z.infer<typeof AuditChainView>;
