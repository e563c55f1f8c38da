import { z } from 'zod';
import { filledTextUpTo, textUpTo } from './common.ts';

/** JSON in a text, as the client libraries send it. */
const jsonText = textUpTo(65_536);
const shortText = filledTextUpTo(255);

export const ConfigView = z
  .object({ config_string: z.string() })
  .meta({ id: 'Config', description: '`config_string` is a document in JSON.' });

/** (protocol, projects §13) */
export const ConfigSourceView = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('pushed-from-github'),
      owner: z.string(),
      repo: z.string(),
      branch: z.string(),
      commit_hash: z.string(),
      config_file_path: z.string(),
      workflow_path: z.string().optional(),
    }),
    z.object({ type: z.literal('pushed-from-unknown') }),
    z.object({ type: z.literal('unlinked') }),
  ])
  .meta({ id: 'ConfigSource' });
export type ConfigSourceView = z.output<typeof ConfigSourceView>;
export const ConfigSourceAnswer = z.object({ source: ConfigSourceView }).meta({ id: 'ConfigSourceAnswer' });

const NewConfigSource = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('pushed-from-github'),
      owner: shortText,
      repo: shortText,
      branch: shortText,
      commit_hash: shortText,
      config_file_path: filledTextUpTo(1_024),
      workflow_path: filledTextUpTo(1_024).optional(),
    }),
    z.strictObject({ type: z.literal('pushed-from-unknown') }),
    z.strictObject({ type: z.literal('unlinked') }),
  ])
  .meta({ id: 'NewConfigSource' });

export const ConfigLevelPath = z.object({ level: z.enum(['project', 'branch', 'environment']) });

export const ConfigReplacement = z
  .strictObject({ config_string: jsonText, source: NewConfigSource.optional() })
  .meta({ id: 'ConfigReplacement' });
export const ConfigChange = z.strictObject({ config_override_string: jsonText }).meta({ id: 'ConfigChange' });
export const ConfigKeys = z
  .strictObject({ keys: z.array(filledTextUpTo(1_024)).max(1_000) })
  .meta({ id: 'ConfigKeys' });
