import { z } from 'zod';
import { UndoState } from './audit.ts';
import { JsonValue, jsonUpTo, textOf } from './common.ts';

/** Ways to change something, as a route declares them. */
const WriteMethod = z.enum(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Something that an event is about. `id` is null while it does not exist yet. */
export const ChangeTarget = z
  .object({
    type: z.enum([
      'user',
      'team',
      'membership',
      'project',
      'permission',
      'project_key',
      'api_key',
      'session',
      'email',
      'email_template',
      'mailing',
      'webhook_endpoint',
      'user_batch',
      'other',
    ]),
    id: z.string().nullable().meta({ description: 'Of a membership: `<team id>.<user id>`.' }),
  })
  .meta({ id: 'ChangeTarget' });
export type ChangeTarget = z.infer<typeof ChangeTarget>;

export const TargetChange = z
  .object({
    target: ChangeTarget,
    field: z.string().meta({ description: 'As in requests and responses, with dots for nested fields.' }),
    before: JsonValue,
    after: JsonValue,
    is_redacted: z.boolean().meta({ description: 'The values are secret: `"redacted"`, or null for no value.' }),
  })
  .meta({ id: 'TargetChange', description: 'One field of one thing. Large values are given as size and hash.' });
export type TargetChange = z.infer<typeof TargetChange>;

const PreviewedEvent = z
  .object({ type: z.string(), targets: z.array(ChangeTarget), text: z.string(), is_technical: z.boolean() })
  .meta({
    id: 'PreviewedEvent',
    description: 'An event that a write would record, or that has been recorded since a preview.',
  });

export const EffectKind = z.enum([
  'email',
  'sessions_ended',
  'api_keys_revoked',
  'erasure',
  'erasure_scheduled',
  'grants_void',
  'key_shown_once',
  'permission_gained',
  'permission_lost',
  'access_gained',
  'access_lost',
  'access_of_team',
  'keys_kept',
  'webhook',
]);
export type EffectKind = z.infer<typeof EffectKind>;

const AffectedPerson = z
  .object({
    user_id: z.string().nullable().meta({ description: 'null: a user whom the write creates.' }),
    team_id: z.string().nullable(),
    display_name: z.string().nullable(),
  })
  .meta({ id: 'AffectedPerson' });

export const PreviewEffect = z
  .object({
    kind: EffectKind,
    count: z.number().int(),
    text: z.string(),
    permission_id: z.string().nullable().meta({ description: 'Of `permission_gained` and `permission_lost`.' }),
    people: z.array(AffectedPerson).nullable().meta({
      description:
        'The first 100 people who gain or lose a permission, or access to the project; null with other effects, and for callers who may not read them.',
    }),
    has_more_people: z.boolean().meta({ description: '`count` is exact, and `people` is not complete.' }),
  })
  .meta({ id: 'PreviewEffect' });
export type PreviewEffect = z.infer<typeof PreviewEffect>;

export const PreviewBody = z.strictObject({
  method: WriteMethod,
  path: textOf(z.string().max(4_096).startsWith('/')).meta({ description: 'Below /api/v1, with its query.' }),
  body: jsonUpTo(1_048_576).optional(),
  since: textOf(z.string().max(10_000)).optional().meta({
    description: 'The `etag` of an earlier preview of this request: `changed_since` says what has happened since.',
  }),
});
export type PreviewBody = z.infer<typeof PreviewBody>;

const PreviewedError = z
  .object({
    code: z.string().nullable().meta({ description: 'null for an error without a code.' }),
    details: z.record(z.string(), z.unknown()).nullable(),
    error: z.string(),
  })
  .meta({ id: 'PreviewedError' });

export const PreviewView = z
  .object({
    status: z.number().int(),
    body: JsonValue.meta({
      description: 'null if the write would be rejected, or if its response can’t be known before the write.',
    }),
    error: PreviewedError.nullable(),
    changes: z.array(TargetChange),
    events: z.array(PreviewedEvent),
    effects: z.array(PreviewEffect),
    is_reversible: z.boolean(),
    irreversible_reasons: z.array(z.string()),
    etag: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `If-Match: "<etag>"` with the write. null if the write would be rejected.' }),
    changed_since: z.array(PreviewedEvent).nullable().meta({
      description:
        'The newest 20 events since the preview `since` on which this one stands, oldest first. null if that is not known.',
    }),
  })
  .meta({
    id: 'Preview',
    description: 'What a write would do now. IDs that it would generate are null, and secrets are left out.',
  });
export type PreviewView = z.infer<typeof PreviewView>;

export const ActionParams = z.strictObject({ action_id: textOf(z.string().min(1).max(200)) });

export const UndoConflict = z
  .object({
    target: ChangeTarget,
    field: z.string(),
    restored_value: JsonValue,
    current_value: JsonValue,
    changed_by_event_id: z.string().nullable(),
  })
  .meta({ id: 'UndoConflict', description: 'A field that changed again since the action.' });
export type UndoConflict = z.infer<typeof UndoConflict>;

const UndoView = z
  .object({
    state: UndoState,
    reasons: z.array(z.string()).meta({ description: 'Why it can’t be undone, or only in part.' }),
    conflicts: z.array(UndoConflict),
    undone_by_action_id: z.string().nullable(),
  })
  .meta({ id: 'Undo' });

const ActionActor = z
  .object({ kind: z.string(), id: z.string().nullable(), display_name: z.string().nullable() })
  .meta({ id: 'ActionActor' });

const ActionEvent = z
  .object({
    id: z.string(),
    type: z.string(),
    targets: z.array(ChangeTarget),
    text: z.string(),
    is_technical: z.boolean(),
    is_reversible: z.boolean(),
    at_millis: z.number().int(),
  })
  .meta({ id: 'ActionEvent' });

export const ActionView = z
  .object({
    id: z.string(),
    actor: ActionActor,
    at_millis: z.number().int(),
    events: z.array(ActionEvent),
    changes: z.array(TargetChange),
    undo: UndoView,
    undoes_action_id: z.string().nullable(),
  })
  .meta({ id: 'Action', description: 'All that one request changed. `id` is the ID of the request.' });
export type ActionView = z.infer<typeof ActionView>;

export const UndoneView = z
  .object({
    action_id: z.string().meta({ description: 'The action that undoes. It can be undone too.' }),
    undoes_action_id: z.string(),
    changes: z.array(TargetChange),
    warnings: z.array(z.string()).meta({ description: 'What does not come back.' }),
  })
  .meta({ id: 'Undone' });
export type UndoneView = z.infer<typeof UndoneView>;
