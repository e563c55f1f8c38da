import { z } from 'zod';
import { listOf } from './common.ts';

/** (protocol, projects §2.3) */
export const DeletedProjectView = z
  .object({
    id: z.string(),
    display_name: z.string(),
    created_at_millis: z.number().int(),
    deleted_at_millis: z.number().int(),
    erased_at_millis: z.number().int().meta({ description: 'When all data of the project is erased.' }),
  })
  .meta({ id: 'DeletedProject', description: 'A deleted project that its owners can restore.' });
export type DeletedProjectView = z.infer<typeof DeletedProjectView>;

export const DeletedProjectListView = listOf(DeletedProjectView).meta({ id: 'DeletedProjectList' });
export type DeletedProjectListView = z.infer<typeof DeletedProjectListView>;
