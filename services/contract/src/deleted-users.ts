import { z } from 'zod';
import { pagedListOf, pageFields } from './common.ts';

/** (protocol, resources §1.8) */
export const DeletedUserView = z
  .object({
    id: z.uuid(),
    display_name: z.string().nullable(),
    primary_email: z.string().nullable(),
    profile_image_url: z.string().nullable(),
    signed_up_at_millis: z.number().int(),
    deleted_at_millis: z.number().int(),
    erased_at_millis: z.number().int().meta({ description: 'When the personal data is erased.' }),
    deleted_by_user: z.boolean().meta({ description: 'The user deleted the account.' }),
  })
  .meta({ id: 'DeletedUser', description: 'A deleted user who can be restored.' });
export type DeletedUserView = z.infer<typeof DeletedUserView>;

export const DeletedUsersQuery = z.strictObject(pageFields);
export const DeletedUserListView = pagedListOf(DeletedUserView).meta({ id: 'DeletedUserList' });
export type DeletedUserListView = z.infer<typeof DeletedUserListView>;
