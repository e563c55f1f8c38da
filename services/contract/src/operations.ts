import { z } from 'zod';

/** Positions and lags are decimal texts: they are 64-bit. */
const position = z.string().regex(/^\d+$/);

export const OperationsView = z
  .object({
    head: position,
    followers: z.array(
      z.object({
        name: z.string(),
        generation: z.string(),
        position,
        lag: position,
        state: z.string(),
        error: z.string().nullable(),
      }),
    ),
    generations: z.array(
      z.object({
        set: z.string(),
        id: z.string(),
        version: z.number().int(),
        state: z.string(),
        position,
        created_at_millis: z.number().int(),
      }),
    ),
    /** `adapter`: where the log lies. */
    log: z.object({ adapter: z.string() }),
  })
  .meta({ id: 'Operations' });
export type OperationsView = z.infer<typeof OperationsView>;
