import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { loadUser } from './load-user.ts';

/** Notes that somebody is given all that is kept about a user. @throws DomainError USER_NOT_FOUND */
export async function recordExport(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    (await loadUser(work, userId)).decide({ type: 'ExportUser', at });
  });
  return { position };
}
