import { type CommandResult, type Context, metadataOf, type WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { loadUser } from './load-user.ts';

/** Notes that somebody is given all that is kept about a user. @throws DomainError USER_NOT_FOUND */
export async function recordExport(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    (await loadUser(work, ctx, userId)).decide({ type: 'ExportUser', at });
  });
  return { position };
}
