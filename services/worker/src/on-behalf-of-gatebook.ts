import { findCause } from '@gatebook/commands/cause';
import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { streamOf } from '@gatebook/commands/streams';

const gatebook = { kind: 'system', id: null } as const;

/** The context of a job about an email. */
export async function emailContext(
  write: Pick<WriteDeps, 'store'>,
  { projectId, emailId }: { projectId: string; emailId: string },
): Promise<Context> {
  const cause = await findCause(write, streamOf.email(emailId));
  return { projectId, actor: gatebook, requestId: `email ${emailId}`, ...cause };
}

/** The context of a page of a mailing, after a recipient; null: of the mailing itself. */
export async function mailingContext(
  write: Pick<WriteDeps, 'store'>,
  { projectId, mailingId, after = null }: { projectId: string; mailingId: string; after?: string | null },
): Promise<Context> {
  const cause = await findCause(write, streamOf.mailing(mailingId));
  return { projectId, actor: gatebook, requestId: ['mailing', mailingId, after ?? ''].join(' ').trim(), ...cause };
}
