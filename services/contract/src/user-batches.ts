import { UserBatchAction, UserBatchOutcome } from '@gatebook/domain/user-batch/events';
import { z } from 'zod';
import { filledTextUpTo, numberOf, textUpTo, uuid } from './common.ts';
import { permissionId } from './permissions.ts';
import { EffectKind } from './previews.ts';
import { UserCountQuery } from './user-search.ts';

/** As many IDs as fit in a request. Filters can match more. */
const maxIds = 10_000;
const userIds = z.array(uuid).max(maxIds);

/** What a batch can do to users that are selected. */
export const UserChange = UserBatchAction.exclude(['undo']);
export type UserChange = z.infer<typeof UserChange>;

const action = {
  action: UserChange,
  reason: textUpTo(1_000).optional().meta({
    description:
      'Of `restrict`: shown to the users when they sign in. Without one, users who are restricted keep theirs.',
  }),
  team_id: uuid.optional().meta({ description: 'Of `add_to_team`.' }),
  permission_id: permissionId.optional().meta({ description: 'Of `grant_permission`: a project permission.' }),
};
const selection = {
  user_ids: userIds.optional(),
  filters: UserCountQuery.optional().meta({
    description: 'Instead of `user_ids`: the users who match all filters now, as in a search. None: all users.',
  }),
  except_user_ids: userIds.optional().meta({ description: 'Users who match the filters, but are left out.' }),
};

type Body = {
  action: UserChange;
  team_id?: unknown;
  permission_id?: unknown;
  user_ids?: unknown;
  filters?: unknown;
};
const isWhole = ({ action, team_id: teamId, permission_id: permission }: Body) =>
  (action !== 'add_to_team' || teamId !== undefined) && (action !== 'grant_permission' || permission !== undefined);
const needsTarget = { message: 'must have team_id for add_to_team, and permission_id for grant_permission' };
const hasOneSelection = ({ user_ids: ids, filters }: Body) => (ids === undefined) !== (filters === undefined);
const needsSelection = { message: 'must have either user_ids or filters' };

export const UserBatchSelection = z
  .strictObject({ ...action, ...selection })
  .refine(isWhole, needsTarget)
  .refine(hasOneSelection, needsSelection);
export type UserBatchSelection = z.infer<typeof UserBatchSelection>;

export const NewUserBatch = z
  .strictObject({
    ...action,
    ...selection,
    expected_count: numberOf(z.number().int().min(0)).optional().meta({
      description: '`count` of the preview. If another number of users match now, nothing is started.',
    }),
  })
  .refine(isWhole, needsTarget)
  .refine(hasOneSelection, needsSelection);
export type NewUserBatch = z.infer<typeof NewUserBatch>;

export const UserBatchParams = z.strictObject({ batch_id: uuid });
export const UserBatchFailuresQuery = z.strictObject({
  limit: numberOf(z.number().int().min(1).max(1_000)).optional(),
  cursor: filledTextUpTo(20)
    .pipe(z.string().regex(/^\d{1,9}$/, 'must be the next_cursor of a page of this list'))
    .optional(),
});

export const UserBatchView = z
  .object({
    id: z.string(),
    action: UserBatchAction,
    team_id: z.string().nullable(),
    permission_id: z.string().nullable(),
    undoes_batch_id: z.string().nullable().meta({ description: 'For `undo`: the batch that it undoes.' }),
    started_by: z.object({ kind: z.string(), id: z.string().nullable() }),
    status: z.enum(['running', ...UserBatchOutcome.options]).meta({
      description: '`forbidden`: the member or the key that started it may no longer do what it does.',
    }),
    total: z.number().int(),
    done: z.number().int().meta({ description: 'Includes those that failed.' }),
    failed: z.number().int(),
    created_at_millis: z.number().int(),
    ended_at_millis: z.number().int().nullable(),
  })
  .meta({ id: 'UserBatch' });
export type UserBatchView = z.infer<typeof UserBatchView>;

export const UserBatchListView = z
  .object({ items: z.array(UserBatchView), is_paginated: z.literal(false) })
  .meta({ id: 'UserBatchList' });
export type UserBatchListView = z.infer<typeof UserBatchListView>;

const UserBatchFailureView = z
  .object({ user_id: z.string(), code: z.string().nullable(), error: z.string() })
  .meta({ id: 'UserBatchFailure' });
export const UserBatchFailureListView = z
  .object({
    items: z.array(UserBatchFailureView),
    is_paginated: z.literal(true),
    pagination: z.object({ next_cursor: z.string().nullable() }),
  })
  .meta({ id: 'UserBatchFailureList' });
export type UserBatchFailureListView = z.infer<typeof UserBatchFailureListView>;

export const UserBatchPreviewView = z
  .object({
    count: z.number().int().meta({ description: 'Users whom the batch would change. Send it as `expected_count`.' }),
    previewed: z.number().int().meta({ description: 'The following is about this many of them, the first ones.' }),
    changed: z.number().int(),
    unchanged: z.number().int().meta({ description: 'They already are as the action wants.' }),
    rejections: z.array(z.object({ code: z.string().nullable(), error: z.string(), count: z.number().int() })),
    effects: z.array(z.object({ kind: EffectKind, count: z.number().int() })),
    is_reversible: z.boolean().meta({ description: 'Whether the changes can be undone.' }),
  })
  .meta({ id: 'UserBatchPreview' });
export type UserBatchPreviewView = z.infer<typeof UserBatchPreviewView>;
