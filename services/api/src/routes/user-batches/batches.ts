import { endUserBatch } from '@gatebook/commands/user-batch/user-batch';
import {
  NewUserBatch,
  UserBatchFailureListView,
  UserBatchFailuresQuery,
  UserBatchListView,
  UserBatchParams,
  UserBatchView,
} from '@gatebook/contract/user-batches';
import { reject } from '@gatebook/domain/errors';
import { roleForBatch } from '@gatebook/domain/user-batch/decide';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { requireRole } from '../../roles.ts';
import { selectUsers } from './selection.ts';
import { startBatch } from './start-batch.ts';
import { tags, toBatchView, toFailureView } from './wire.ts';

export const startBatchRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-batches',
  bodySize: 'medium',
  access: adminOnly,
  role: 'support',
  errors: ['PROJECT_ROLE_REQUIRED', 'USER_BATCH_OUTDATED', 'USER_BATCH_RUNNING', 'USER_BATCH_TOO_LARGE'],
  tags,
  summary: 'Start a batch of users',
  description:
    'The server makes the same change to up to 100,000 users, one after the other, on behalf of the caller, who needs the role for the change of one user. The users are fixed when it starts. One batch of a project runs at a time.',
  body: NewUserBatch,
  response: { 201: UserBatchView },
  handle: async ({ deps, caller, context, body: { expected_count: expected, ...body } }) => {
    const { action, reason, team_id: teamId, permission_id: permissionId } = body;
    requireRole(caller, roleForBatch(action));
    const userIds = await selectUsers(deps, caller, body);
    const count = userIds.length;
    if (expected !== undefined && expected !== count) reject('USER_BATCH_OUTDATED', { count });
    return startBatch(deps, { caller, context }, { action, reason, teamId, permissionId }, userIds);
  },
});

export const listBatchesRoute = defineRoute({
  method: 'GET',
  path: '/internal/user-batches',
  access: adminOnly,
  tags,
  summary: 'List batches of users',
  description: 'The newest 50, until 30 days after their end.',
  response: { 200: UserBatchListView },
  handle: async ({ deps, caller: { projectId } }) => {
    const batches = await deps.userBatches.list(projectId);
    return { items: batches.map(toBatchView), is_paginated: false as const };
  },
});

export const getBatchRoute = defineRoute({
  method: 'GET',
  path: '/internal/user-batches/:batch_id',
  access: adminOnly,
  errors: ['USER_BATCH_NOT_FOUND'],
  tags,
  summary: 'Get the progress of a batch of users',
  description:
    'What it changed is in the audit log. The cause is the event that started it; for `undo`, the event that was undone.',
  params: UserBatchParams,
  response: { 200: UserBatchView },
  handle: async ({ deps, caller: { projectId }, params }) => {
    const batch = await deps.userBatches.find(projectId, params.batch_id);
    return batch ? toBatchView(batch) : reject('USER_BATCH_NOT_FOUND');
  },
});

const largestPage = 100;

export const listBatchFailuresRoute = defineRoute({
  method: 'GET',
  path: '/internal/user-batches/:batch_id/failures',
  access: adminOnly,
  errors: ['USER_BATCH_NOT_FOUND'],
  tags,
  summary: 'List the users whom a batch could not change',
  description: 'In the order of the batch, with the error that the change of the one user has.',
  params: UserBatchParams,
  query: UserBatchFailuresQuery,
  response: { 200: UserBatchFailureListView },
  isTranslated: true,
  handle: async ({ deps, caller: { projectId }, params, query, language }) => {
    const batch = (await deps.userBatches.find(projectId, params.batch_id)) ?? reject('USER_BATCH_NOT_FOUND');
    const limit = Math.min(query.limit ?? largestPage, largestPage);
    const after = query.cursor === undefined ? -1 : Number(query.cursor);
    const found = await deps.userBatches.listFailures(batch, { after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map((failure) => toFailureView(language, batch, failure)),
      is_paginated: true as const,
      pagination: { next_cursor: found.length > limit && last ? String(last.nth) : null },
    };
  },
});

export const cancelBatchRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-batches/:batch_id/cancel',
  access: adminOnly,
  role: 'support',
  errors: ['USER_BATCH_NOT_FOUND'],
  tags,
  summary: 'Cancel a batch of users',
  description:
    'Users who were changed stay changed. A few more can be, who were being changed. Does nothing after the end.',
  params: UserBatchParams,
  response: { 200: UserBatchView },
  handle: async ({ deps, caller: { projectId }, context, params: { batch_id: batchId } }) => {
    const find = async () => (await deps.userBatches.find(projectId, batchId)) ?? reject('USER_BATCH_NOT_FOUND');
    await find();
    const { position } = await endUserBatch(deps, context, { batchId, outcome: 'canceled' });
    // Otherwise the worker is about to record how it ended.
    if (position !== null) await deps.userBatches.end({ id: batchId, projectId }, 'canceled');
    return { position, body: async () => toBatchView(await find()) };
  },
});
