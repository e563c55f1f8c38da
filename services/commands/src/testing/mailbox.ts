import type { EmailType } from '@gatebook/domain/email/events';
import { expect } from 'vitest';
import type { World } from './world.ts';

const links = {
  email_verification: 'emailVerificationLink',
  password_reset: 'passwordResetLink',
  magic_link: 'magicLink',
  team_invitation: 'teamInvitationLink',
  security_notice: 'reportLink',
  new_device_sign_in: 'reportLink',
  sign_in_invitation: 'signInInvitationLink',
  project_invitation: 'projectInvitationLink',
  webhook_failing: 'webhookLink',
} as const satisfies Record<Exclude<EmailType, 'api_key_revoked'>, string>;

/** The latest requested email, as the worker would read it, with the code of its link. */
export async function lastMail(world: Pick<World, 'eventsOf'>) {
  const newest = (await world.eventsOf('EmailRequested')).at(-1);
  if (!newest) return expect.fail('no mail was asked for');
  const { emailType, recipient, variables, userId, emailId, expiresAt } = newest.data;
  if (emailType === 'api_key_revoked' || emailType === 'mailing') return expect.fail('this mail has no link');
  const link = variables?.[links[emailType]] ?? '';
  const code = new URL(link).searchParams.get('code') ?? '';
  return { emailType, recipient, variables, userId, emailId, expiresAt, link, code };
}
