import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { loadUser } from './load-user.ts';

/** Records that all data about a user was exported. @throws DomainError USER_NOT_FOUND */
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
