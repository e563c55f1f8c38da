import { z } from 'zod';
import { name } from './common.ts';

export const HealthView = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export type HealthView = z.infer<typeof HealthView>;

export const Problem = z
  .object({
    /** `warning`: the installation works, possibly except for one project. */
    severity: z.enum(['critical', 'warning']),
    code: z.string(),
    /** The projection, reactor, queue or project that it is about. */
    part: z.string().nullable(),
    /** What is wrong and what to do. */
    message: z.string(),
  })
  .meta({ id: 'Problem' });

const check = z.enum(['ok', 'failed']);
export const ReadyView = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    database: check,
    log: check,
    read_models: z.enum(['ok', 'stalled', 'failed']),
    lag: z.number().int().nullable(),
    oldest_unprojected_millis: z.number().int().nullable(),
    problems: z.array(Problem),
  })
  .meta({
    id: 'Ready',
    description:
      '503 if a problem is critical, else 200. `lag` in events (in bytes of the log in EventStoreDB) and the age of the oldest event that the read models lack are null when unknown.',
  });
export type ReadyView = z.infer<typeof ReadyView>;

export const BackendUrls = z.object({ urls: z.array(z.string()) }).meta({ id: 'BackendUrls' });

/** The only camelCase request of the protocol. */
export const VersionCheck = z.strictObject({ clientVersion: name }).meta({ id: 'VersionCheck' });
export type VersionCheck = z.infer<typeof VersionCheck>;
export const VersionAnswer = z
  .union([
    z.object({ upToDate: z.literal(true) }),
    z.object({ upToDate: z.literal(false), error: z.string(), severe: z.boolean() }),
  ])
  .meta({ id: 'VersionAnswer' });
export type VersionAnswer = z.infer<typeof VersionAnswer>;
