import { z } from 'zod';
import { pagedListOf, pageFields } from './common.ts';

/** (protocol, resources §3.1) */
export const DeletedTeamView = z
  .object({
    id: z.uuid(),
    display_name: z.string(),
    profile_image_url: z.string().nullable(),
    created_at_millis: z.number().int(),
    deleted_at_millis: z.number().int(),
    erased_at_millis: z.number().int().meta({ description: 'When the data of the team is erased.' }),
  })
  .meta({ id: 'DeletedTeam', description: 'A deleted team that can be restored.' });
export type DeletedTeamView = z.infer<typeof DeletedTeamView>;

export const DeletedTeamsQuery = z.strictObject(pageFields);
export const DeletedTeamListView = pagedListOf(DeletedTeamView).meta({ id: 'DeletedTeamList' });
export type DeletedTeamListView = z.infer<typeof DeletedTeamListView>;
