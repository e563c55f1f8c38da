import { Success } from '@gatebook/contract/common';
import { AskForRebuild, ComparisonView, GenerationId } from '@gatebook/contract/operations';
import { type PlainRefusal, refuse } from '@gatebook/domain/errors';
import { OperationRefusedError, type RefusedBecause } from '@gatebook/readmodel/operations/rebuilds';
import { comparisonToWire } from '@gatebook/readmodel/operations/wire';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, mayOperate } from '../../access.ts';
import type { Deps } from '../../deps.ts';

const tags = ['Operations'];
const params = z.strictObject({ generation_id: GenerationId });

const codes: Readonly<Record<RefusedBecause, PlainRefusal>> = {
  unknown: 'GENERATION_NOT_FOUND',
  'nothing-live': 'READ_MODELS_NOT_BUILT',
  'other-version': 'GENERATION_OF_ANOTHER_VERSION',
  'not-ready': 'GENERATION_NOT_READY',
  stopped: 'GENERATION_STOPPED',
  behind: 'GENERATION_BEHIND',
  'in-use': 'GENERATION_IN_USE',
};

async function orRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperationRefusedError) refuse(codes[error.because]);
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
        response: { 200: z.object({ generation_id: GenerationId }).meta({ id: 'Rebuild' }) },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        return { generation_id: (await orRefused(rebuilds.ask(request.body.set))).schema };
      },
    });
  };

export const compareGenerationRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/operations/generations/:generation_id/compare', {
      schema: {
        tags,
        summary: 'Compare a generation with the live one',
        description: 'Row by row, at the same position of the log, while it grows.',
        params,
        response: { 200: ComparisonView },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        return comparisonToWire(await orRefused(rebuilds.compare(request.params.generation_id)));
      },
    });
  };

export const switchGenerationRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/operations/generations/:generation_id/switch', {
      schema: {
        tags,
        summary: 'Read from another generation',
        description: 'From one that waits, or from the one that was read before. The one read so far is kept.',
        params,
        response: { 200: Success },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        await orRefused(rebuilds.switchTo(request.params.generation_id));
        return { success: true } as const;
      },
    });
  };

export const dropGenerationRoute =
  ({ rebuilds }: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/internal/operations/generations/:generation_id', {
      schema: {
        tags,
        summary: 'Throw a generation away',
        description: 'One that was asked for, or that is kept.',
        params,
        response: { 200: Success },
      },
      handler: async (request) => {
        mayOperate(callerOf(request));
        await orRefused(rebuilds.discard(request.params.generation_id));
        return { success: true } as const;
      },
    });
  };
