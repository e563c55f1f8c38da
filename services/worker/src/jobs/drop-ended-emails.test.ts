import { recordEmailFailed } from '@gatebook/commands/email/email';
import { sendResetCode } from '@gatebook/commands/password/password-reset';
import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { sendSignInCode } from '@gatebook/commands/sign-in/sign-in-code';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, signUp, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld, type World } from '@gatebook/commands/testing/world';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { type EndedEmailRow, listPendingEmails, listUndeliveredEmails } from '@gatebook/readmodel/emails/queries';
import { wholeList } from '@gatebook/readmodel/list-pages';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dropEndedEmails } from './drop-ended-emails.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide([mainGroup]);
});
afterAll(() => side.close());

let world: World;
let ctx: ReturnType<typeof contextOf>;
beforeEach(async () => {
  world = await createWorld(side);
  const { deps } = world;
  const ownerUserId = deps.newId();
  const { projectId } = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  ctx = contextOf(projectId);
});

const shown = {
  subject: 'Hello',
  sender: {
    type: 'shared' as const,
    host: null,
    port: null,
    username: null,
    senderName: 'Shop',
    senderEmail: 'shop@example.com',
  },
  error: { type: 'REJECTED', message: 'no', canRetry: false, rawError: '554' } as const,
};
const { signal } = new AbortController();
const fail = (emailId: string) => recordEmailFailed(world.deps, ctx, { emailId, ...shown });
async function readModelReached(): Promise<void> {
  expect(await side.readModels.reached(await side.store.head())).toBe('reached');
}
async function sweep(limit = 100): Promise<number> {
  await readModelReached();
  const { dropped } = await dropEndedEmails(
    { db: side.db, write: world.deps, logger },
    { after: undefined, limit },
    signal,
  );
  await readModelReached();
  return dropped;
}
async function requestOf(id: string) {
  return (await world.eventsOf('EmailRequested')).find(({ data }) => data.emailId === id)?.data;
}
const undelivered = async () =>
  (await listUndeliveredEmails(side.db, ctx.projectId, wholeList)).rows.map(({ id }) => id);

test('deleting a user erases the link of a failed email and drops a pending one', async () => {
  const { deps } = world;
  const email = 'ann@example.com';
  const { userId } = await signUp(deps, ctx, { email, password: 'correct horse' });
  const requestEmail = async () => {
    await sendResetCode(deps, ctx, { email, callbackUrl, project: testProject });
    return (await lastMail(world)).emailId;
  };
  const [dead, waiting] = [await requestEmail(), await requestEmail()];
  await fail(dead);
  expect(await sweep()).toBe(0);
  expect(await undelivered()).toEqual([dead]);
  await deleteUser(deps, ctx, { userId });
  expect(await sweep()).toBeGreaterThanOrEqual(2);
  for (const id of [dead, waiting]) expect(await requestOf(id)).toMatchObject({ recipient: null, variables: null });
  expect(await undelivered()).toEqual([]);
  const pending = await listPendingEmails(side.db, '2999-01-01T00:00:00.000Z', { limit: 100, ofMailings: false });
  expect(pending.map(({ id }) => id)).not.toContain(waiting);
  expect(await sweep()).toBe(0);
});

test('failed emails are dropped when their codes have expired, in batches and also when late', async () => {
  const ids: string[] = [];
  for (const nth of [1, 2, 3]) {
    await sendSignInCode(world.deps, ctx, { email: `b${nth}@example.com`, callbackUrl, project: testProject });
    const { emailId } = await lastMail(world);
    await fail(emailId);
    ids.push(emailId);
  }
  expect(await sweep()).toBe(0);
  world.clock.advance(30 * 24 * 60 * 60_000);
  for (const left of [1, 1, 1, 0]) expect(await sweep(1)).toBe(left);
  for (const id of ids) expect(await requestOf(id)).toMatchObject({ recipient: null, variables: null });
  expect(await undelivered()).toEqual([]);
});

test('an email of a deleted project does not keep others from being dropped', async () => {
  const { deps } = world;
  const gone = await createProject(deps, contextOf('internal'), { displayName: 'Gone', ownerUserId: deps.newId() });
  const emailIds: string[] = [];
  for (const ofProject of [contextOf(gone.projectId), ctx]) {
    await sendSignInCode(deps, ofProject, { email: 'eve@example.com', callbackUrl, project: testProject });
    emailIds.push((await world.eventsOf('EmailRequested')).at(-1)?.data.emailId ?? '');
  }
  await deleteProject(deps, contextOf(gone.projectId));
  const rows = [gone.projectId, ctx.projectId].map((projectId, index) => ({ id: emailIds[index], projectId }));
  // The read models may still have both emails.
  const ended = { rowsOfAllProjects: async () => rows.map((row) => ({ ...row, reason: 'expired' })) };
  await dropEndedEmails(
    { db: ended as unknown as ReadDb, write: deps, logger },
    { after: undefined, limit: 100 },
    signal,
  );
  expect((await world.eventsOf('EmailDropped')).at(-1)?.data.emailId).toBe(emailIds[1]);
});

test('an email that cannot be read does not keep others from being dropped', async () => {
  const { deps } = world;
  const emailIds: string[] = [];
  for (const nth of [1, 2]) {
    await sendSignInCode(deps, ctx, { email: `c${nth}@example.com`, callbackUrl, project: testProject });
    const { emailId } = await lastMail(world);
    await fail(emailId);
    emailIds.push(emailId);
  }
  world.clock.advance(30 * 24 * 60 * 60_000);
  await readModelReached();
  const foldStream: typeof deps.store.foldStream = async (stream, ...how) => {
    if (stream === `email-${emailIds[0]}`) throw new Error('the key is lost');
    return deps.store.foldStream(stream, ...how);
  };
  const write = { ...deps, store: { ...deps.store, foldStream } };
  let after: EndedEmailRow | undefined;
  // Pages as large as the number of emails that can't be dropped.
  do ({ next: after } = await dropEndedEmails({ db: side.db, write, logger }, { after, limit: 1 }, signal));
  while (after);
  const dropped = (await world.eventsOf('EmailDropped')).map(({ data }) => data.emailId);
  expect(dropped).toContain(emailIds[1]);
  expect(dropped).not.toContain(emailIds[0]);
});
