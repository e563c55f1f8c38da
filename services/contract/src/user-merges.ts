import { mergeDropReasons, mergeItemKinds } from '@gatebook/domain/user/merge/items';
import { z } from 'zod';
import { uuid } from './common.ts';

/** The user who is deleted. */
export const UserMergeBody = z.strictObject({ duplicate_user_id: uuid });

const item = {
  kind: z.enum(mergeItemKinds),
  /** Which one, where there can be several. */
  name: z.string().nullable(),
  /** For a team, and for what belongs to it. */
  team_id: z.uuid().nullable(),
  team_name: z.string().nullable(),
};
export const MovedItem = z.object(item).meta({ id: 'MovedItem' });
export const DroppedItem = z.object({ ...item, reason: z.enum(mergeDropReasons) }).meta({ id: 'DroppedItem' });

export const UserMergeView = z
  .object({ user_id: z.uuid(), duplicate_user_id: z.uuid(), moved: z.array(MovedItem), dropped: z.array(DroppedItem) })
  .meta({ id: 'UserMerge' });
export type UserMergeView = z.infer<typeof UserMergeView>;
