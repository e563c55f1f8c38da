import { describe, expect, test } from 'vitest';
import { issueCode } from '../code/code.ts';
import { signInWithPassword } from '../password/password.ts';
import { resetPassword } from '../password/password-reset.ts';
import { createProject } from '../project/project.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { reportActivity } from './activity-report.ts';

const email = 'ann@example.com';
const password = 'correct horse';
const publicUrl = 'https://auth.example.com';
const { config } = testProject;

async function withNotice({
  address = email,
  domains = [{ domain: 'https://shop.example/', handlerPath: '/handler' }],
} = {}) {
  const world = await createWorld();
  const { deps } = world;
  const ownerUserId = deps.newId();
  const project = { displayName: 'Shop', ownerUserId, config: { ...config, domains, allowLocalhost: false } };
  const { projectId } = await createProject(deps, contextOf('internal'), project);
  const ctx = contextOf(projectId);
  const facts = { primaryEmail: email, primaryEmailVerified: true, primaryEmailAuthEnabled: true, password };
  const { userId } = await createUser(deps, ctx, { project: testProject, ...facts });
  const signIn = (with_ = password) => signInWithPassword(deps, ctx, { email, password: with_, config });
  const session = await signIn();
  const purpose = 'activity_report' as const;
  const about = { purpose, lifeMs: 60_000, subjectId: userId, recipient: address, payload: { userId } };
  const { code } = await issueCode(deps, ctx, about);
  const { projectId: _, ...origin } = contextOf('');
  const report = (given = code) => reportActivity(deps, origin, { code: given, publicUrl });
  return { ...world, ctx, userId, signIn, session, code, report };
}

describe('an activity report', () => {
  test('ends all sessions, removes the password and emails a reset link to the app', async () => {
    const world = await withNotice();
    const { deps, ctx, report, session, signIn, userId } = world;
    expect(await report()).toMatchObject({ isResetEmailSent: true });
    expect(await isSessionAlive(deps, session.sessionId)).toBe(false);
    await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
    const mail = await lastMail(world);
    expect(mail).toMatchObject({ emailType: 'password_reset', recipient: email, userId });
    expect(mail.link).toBe(`https://shop.example/handler/password-reset?code=${mail.code}`);
    await resetPassword(deps, ctx, { code: mail.code, password: 'battery staple', project: testProject });
    expect((await signIn('battery staple')).userId).toBe(userId);
  });

  test('emails a link to the first domain without wildcards', async () => {
    const domains = ['https://*.shop.example', 'https://shop.example'].map((domain) => ({ domain, handlerPath: '/h' }));
    const world = await withNotice({ domains });
    expect(await world.report()).toMatchObject({ isResetEmailSent: true });
    expect((await lastMail(world)).link).toMatch(/^https:\/\/shop\.example\/h\/password-reset\?/);
  });

  test('works once and changes nothing the second time', async () => {
    const { report, deps, typesAfter } = await withNotice();
    await report();
    const before = await deps.store.head();
    await expectRejection(report(), 'VERIFICATION_CODE_ALREADY_USED');
    expect((await typesAfter(before)).filter((type) => type !== 'CodeAttempted')).toEqual([]);
  });

  test('rejects codes that are unknown, expired or of another purpose', async () => {
    const { report, deps, ctx, clock, code, userId } = await withNotice();
    await expectRejection(report('z'.repeat(45)), 'VERIFICATION_CODE_NOT_FOUND');
    const other = await issueCode(deps, ctx, {
      purpose: 'sign_in',
      lifeMs: 60_000,
      recipient: email,
      payload: { userId },
    });
    await expectRejection(report(other.code), 'VERIFICATION_CODE_NOT_FOUND');
    clock.advance(60_000);
    await expectRejection(report(code), 'VERIFICATION_CODE_EXPIRED');
  });

  test('keeps the password when the address of the notice no longer signs in', async () => {
    const { deps, report, session, signIn, eventsOf } = await withNotice({ address: 'former@example.com' });
    expect(await report()).toMatchObject({ isResetEmailSent: false });
    expect(await isSessionAlive(deps, session.sessionId)).toBe(false);
    expect(await eventsOf('UserPasswordRemoved')).toEqual([]);
    expect((await signIn()).isNewUser).toBe(false);
  });

  test('sends no reset email when the app has no known reset page', async () => {
    const { report, eventsOf } = await withNotice({ domains: [] });
    expect(await report()).toMatchObject({ isResetEmailSent: false });
    expect(await eventsOf('UserPasswordRemoved')).toHaveLength(1);
    expect(await eventsOf('EmailRequested')).toEqual([]);
  });
});
