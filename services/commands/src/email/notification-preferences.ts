import { timingSafeEqual } from 'node:crypto';
import type { NotificationCategory } from '@gatebook/domain/email/categories';
import { reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';

type Preference = { userId: string; category: NotificationCategory; isEnabled: boolean };

/** Turns a category of emails on or off. @throws DomainError USER_NOT_FOUND, NOTIFICATION_CATEGORY_REQUIRED */
export async function changeNotificationPreference(
  deps: WriteDeps,
  ctx: Context,
  { userId, category, isEnabled }: Preference,
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    (await loadUser(work, userId)).decide({ type: 'ChangeNotificationPreference', category, isEnabled, at });
  });
  return { position };
}

type Recipient = { projectId: string; userId: string };

/**
 * The code of an unsubscribe link: the user and a keyed hash. Not a one-time code, because the link of an old email has
 * to work (RFC 8058), as often as a mail client follows it.
 */
export function unsubscribeCodeOf(deps: Pick<WriteDeps, 'lookupHash'>, recipient: Recipient): string {
  return `${recipient.userId}.${signatureOf(deps, recipient)}`;
}

const signatureOf = ({ lookupHash }: Pick<WriteDeps, 'lookupHash'>, { projectId, userId }: Recipient) =>
  lookupHash('unsubscribe', projectId, userId);

const codeForm = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** Turns off the marketing emails of the user in the code. @throws DomainError VERIFICATION_CODE_NOT_FOUND */
export async function unsubscribe(
  deps: WriteDeps,
  request: Omit<Context, 'projectId'>,
  { code }: { code: string },
): Promise<CommandResult> {
  const [, userId = '', signature = ''] = codeForm.exec(code) ?? [];
  if (userId === '') return reject('VERIFICATION_CODE_NOT_FOUND');
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  const projectId = state.status === 'active' ? state.projectId : '';
  const expected = signatureOf(deps, { projectId, userId });
  const isValid = timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
  if (state.status !== 'active' || !isValid) return reject('VERIFICATION_CODE_NOT_FOUND');
  const preference = { userId, category: 'marketing', isEnabled: false } as const;
  return changeNotificationPreference(deps, { ...request, projectId }, preference);
}
