import { Success } from '@gatebook/contract/common';
import { AskForRebuild, ComparisonView, ProjectionVersionId } from '@gatebook/contract/operations';
import { type PlainErrorCode, reject } from '@gatebook/domain/errors';
import { OperationRejectedError, type RejectedBecause } from '@gatebook/projections/operations/rebuilds';
import { comparisonToWire } from '@gatebook/projections/operations/wire';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, mayOperate } from '../../access.ts';
import type { Deps } from '../../deps.ts';

const tags = ['Operations'];
const params = z.strictObject({ version_id: ProjectionVersionId });

const codes: Readonly<Record<RejectedBecause, PlainErrorCode>> = {
  unknown: 'PROJECTION_VERSION_NOT_FOUND',
  'nothing-live': 'READ_MODELS_NOT_BUILT',
  'other-version': 'PROJECTION_VERSION_OF_ANOTHER_VERSION',
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

/** Asked for again, it answers the one that is being built: pressing twice starts one. */
export const askForRebuildRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/operations/rebuilds', {
      schema: {
        tags,
        summary: 'Build read models anew',
        description:
          'Beside those that are read, from the log. One of a set at a time. `GET /internal/operations` tells how far it is.',
        body: AskForRebuild,
        response: { 200: z.object({ version_id: ProjectionVersionId }).meta({ id: 'Rebuild' }) },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        return { version_id: (await orRejected(rebuilds.ask(request.body.set))).schema };
      },
    });
  };

export const compareProjectionVersionRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/operations/projection-versions/:version_id/compare', {
      schema: {
        tags,
        summary: 'Compare a projection version with the live one',
        description: 'Row by row, at the same position of the log, while it grows.',
        params,
        response: { 200: ComparisonView },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        return comparisonToWire(await orRejected(rebuilds.compare(request.params.version_id)));
      },
    });
  };

export const promoteProjectionVersionRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/operations/projection-versions/:version_id/promote', {
      schema: {
        tags,
        summary: 'Read from another projection version',
        description: 'From one that waits, or from the one that was read before. The one read so far is kept.',
        params,
        response: { 200: Success },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        await orRejected(rebuilds.promoteStandby(request.params.version_id));
        return { success: true } as const;
      },
    });
  };

export const dropProjectionVersionRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/internal/operations/projection-versions/:version_id', {
      schema: {
        tags,
        summary: 'Throw a projection version away',
        description: 'One that was asked for, or that is kept.',
        params,
        response: { 200: Success },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        await orRejected(rebuilds.discard(request.params.version_id));
        return { success: true } as const;
      },
    });
  };
