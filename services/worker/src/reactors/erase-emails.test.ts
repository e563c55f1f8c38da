import { randomBytes } from 'node:crypto';
import { recordEmailFailed, recordEmailSent, recordTestEmail } from '@gatebook/commands/email/email';
import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { sendSignInCode } from '@gatebook/commands/sign-in/sign-in-code';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld, type World } from '@gatebook/commands/testing/world';
import type { EmailError, Sender } from '@gatebook/domain/email/events';
import { expect, test } from 'vitest';
import { createEraser } from './erase-subjects.ts';

const sender: Sender = {
  type: 'shared',
  host: 'smtp.example.com',
  port: 25,
  username: null,
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};
const error: EmailError = { type: 'REJECTED', message: 'no ann@example.com', canRetry: false, rawError: '554' };
const shown = { subject: 'Hello', sender };

async function withProject() {
  const world = await createWorld();
  const { deps } = world;
  const ownerUserId = deps.newId();
  const { projectId } = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  const ctx = contextOf(projectId);
  const requestEmail = async (email = `${randomBytes(4).toString('hex')}@example.com`) => {
    await sendSignInCode(deps, ctx, { email, callbackUrl, project: testProject });
    return (await lastMail(world)).emailId;
  };
  return { ...world, ctx, requestEmail };
}

/** Runs the eraser on the whole log. */
async function erase({ deps }: World): Promise<void> {
  const eraser = createEraser({
    forgetWebhooks: async () => undefined,
    write: deps,
    idempotencyRecords: { forget: async () => {} },
    codeKeys: { add: async () => {} },
    activity: { forgetUser: async () => {}, forgetTeam: async () => {}, forgetProject: async () => {} },
  });
  for (const event of await deps.store.readAll(0n, 10_000)) await eraser.react(event);
}

async function readable({ eventsOf }: World): Promise<unknown[]> {
  const requests = (await eventsOf('EmailRequested')).map(({ data }) => data.recipient ?? data.variables);
  const sent = (await eventsOf('EmailSent')).map(({ data }) => data.to ?? data.subject ?? data.response);
  const failed = (await eventsOf('EmailFailed')).map(({ data }) => data.to ?? data.subject ?? data.error?.message);
  return [...requests, ...sent, ...failed].filter((text) => text !== null && text !== undefined);
}

test('the link of a sent email is erased even if the process that recorded it died before', async () => {
  const world = await withProject();
  const emailId = await world.requestEmail();
  const dying = { ...world.deps, eraseSubject: () => Promise.reject(new Error('the process died')) };
  await expect(recordEmailSent(dying, world.ctx, { emailId, ...shown, response: '250' })).rejects.toThrow('died');
  await erase(world);
  expect((await world.eventsOf('EmailRequested'))[0]?.data).toMatchObject({ recipient: null, variables: null });
});

test('deleting a project erases its emails in the log, for all recipients', async () => {
  const world = await withProject();
  const { deps, ctx, requestEmail } = world;
  await recordEmailSent(deps, ctx, { emailId: await requestEmail(), ...shown, response: '250 for ann@example.com' });
  await recordEmailFailed(deps, ctx, { emailId: await requestEmail(), ...shown, error });
  await recordTestEmail(deps, ctx, { ...shown, to: 'maya@example.com', response: '250', error: null });
  await requestEmail();
  const ownerUserId = deps.newId();
  const other = await createProject(deps, contextOf('internal'), { displayName: 'Other', ownerUserId });
  const ofOther = { ...shown, to: 'zoe@example.com', response: '', error: null };
  await recordTestEmail(deps, contextOf(other.projectId), ofOther);
  await deleteProject(deps, ctx);
  await erase(world);
  expect(await readable(world)).toEqual(['zoe@example.com']);
});
