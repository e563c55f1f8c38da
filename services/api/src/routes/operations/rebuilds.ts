import { Success } from '@gatebook/contract/common';
import { AskForRebuild, ComparisonView, ProjectionVersionId } from '@gatebook/contract/operations';
import { type DomainErrorCode, type PlainErrorCode, reject } from '@gatebook/domain/errors';
import { OperationRejectedError, type RejectedBecause } from '@gatebook/projections/operations/rebuilds';
import { comparisonToWire } from '@gatebook/projections/operations/wire';
import { z } from 'zod';
import { adminOnly, mayOperate } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

const tags = ['Operations'];
const params = z.strictObject({ version_id: ProjectionVersionId });

const codes: Readonly<Record<RejectedBecause, PlainErrorCode>> = {
  unknown: 'PROJECTION_VERSION_NOT_FOUND',
  'nothing-live': 'READ_MODELS_NOT_BUILT',
  'other-version': 'PROJECTION_VERSION_INCOMPATIBLE',
  'not-ready': 'PROJECTION_VERSION_NOT_READY',
  stopped: 'PROJECTION_VERSION_STOPPED',
  behind: 'PROJECTION_VERSION_BEHIND',
  'in-use': 'PROJECTION_VERSION_IN_USE',
};

async function orRejected<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperationRejectedError) reject(codes[error.because]);
    throw error;
  }
}

const versionErrors: readonly DomainErrorCode[] = [
  'EXPECTED_INTERNAL_PROJECT',
  'PROJECTION_VERSION_NOT_FOUND',
  'PROJECTION_VERSION_NOT_READY',
  'PROJECTION_VERSION_STOPPED',
  'PROJECTION_VERSION_BEHIND',
];

/** Returns the build that is running, if there is one: pressing twice starts one. */
export const askForRebuildRoute = defineRoute({
  method: 'POST',
  path: '/internal/operations/rebuilds',
  access: adminOnly,
  role: 'owner',
  errors: ['EXPECTED_INTERNAL_PROJECT', 'READ_MODELS_NOT_BUILT', 'PROJECTION_VERSION_INCOMPATIBLE'],
  tags,
  summary: 'Rebuild a projection group',
  description:
    'Builds a new projection version from the event log while the live version keeps serving. Only one build per group runs at a time. `GET /internal/operations` shows the progress.',
  body: AskForRebuild,
  response: { 200: z.object({ version_id: ProjectionVersionId }).meta({ id: 'Rebuild' }) },
  handle: async ({ deps: { rebuilds }, caller, body }) => {
    mayOperate(caller);
    const { schema } = await orRejected(rebuilds.ask(body.group));
    return { position: null, body: { version_id: schema } };
  },
});

export const compareProjectionVersionRoute = defineRoute({
  method: 'POST',
  path: '/internal/operations/projection-versions/:version_id/compare',
  access: adminOnly,
  role: 'owner',
  errors: [...versionErrors, 'PROJECTION_VERSION_IN_USE'],
  tags,
  summary: 'Compare a projection version with the live version',
  description: 'Compares row by row at the same log position, while the log keeps growing.',
  params,
  response: { 200: ComparisonView },
  handle: async ({ deps: { rebuilds }, caller, params }) => {
    mayOperate(caller);
    const comparison = await orRejected(rebuilds.compare(params.version_id));
    return { position: null, body: comparisonToWire(comparison) };
  },
});

export const promoteProjectionVersionRoute = defineRoute({
  method: 'POST',
  path: '/internal/operations/projection-versions/:version_id/promote',
  access: adminOnly,
  role: 'owner',
  errors: [...versionErrors, 'PROJECTION_VERSION_INCOMPATIBLE'],
  tags,
  summary: 'Promote a projection version',
  description:
    'Promotes a standby version, or rolls back to the previous live version. The current live version is kept.',
  params,
  response: { 200: Success },
  handle: async ({ deps: { rebuilds }, caller, params }) => {
    mayOperate(caller);
    await orRejected(rebuilds.promoteStandby(params.version_id));
    return answerSuccess(null);
  },
});

export const dropProjectionVersionRoute = defineRoute({
  method: 'DELETE',
  path: '/internal/operations/projection-versions/:version_id',
  access: adminOnly,
  role: 'owner',
  errors: ['EXPECTED_INTERNAL_PROJECT', 'PROJECTION_VERSION_NOT_FOUND', 'PROJECTION_VERSION_IN_USE'],
  tags,
  summary: 'Delete a projection version',
  description: 'Deletes a version that is being built, on standby, or kept for a rollback.',
  params,
  response: { 200: Success },
  handle: async ({ deps: { rebuilds }, caller, params }) => {
    mayOperate(caller);
    await orRejected(rebuilds.discard(params.version_id));
    return answerSuccess(null);
  },
});
