import { expect, test } from 'vitest';
import { resetPassword, sendResetCode } from '../password/password-reset.ts';
import { sendSignInCode, signInWithCode } from '../sign-in/sign-in-code.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, type World } from '../testing/world.ts';
import { verifyEmail } from '../user/verification.ts';

// Passkey challenges, second-factor attempts, command-line logins and the set-up link race in the tests of their own.

const ctx = contextOf('shop');
const email = 'ann@example.com';

type Redemption = {
  purpose: string;
  ask: (world: World) => Promise<unknown>;
  redeem: (world: World, code: string) => Promise<unknown>;
};
const redemptions: readonly Redemption[] = [
  {
    purpose: 'sign-in',
    ask: ({ deps }) => sendSignInCode(deps, ctx, { email: 'new@example.com', callbackUrl, project: testProject }),
    redeem: ({ deps }, code) => signInWithCode(deps, ctx, { code, project: testProject, anonymousUserId: null }),
  },
  {
    purpose: 'password reset',
    ask: ({ deps }) => sendResetCode(deps, ctx, { email, callbackUrl, project: testProject }),
    redeem: ({ deps }, code) => resetPassword(deps, ctx, { code, password: 'battery staple', project: testProject }),
  },
  {
    purpose: 'verification',
    ask: async () => {},
    redeem: ({ deps }, code) => verifyEmail(deps, ctx, { code }),
  },
];

test.each(redemptions)('of 50 redemptions of one $purpose code at once, one succeeds', async ({ ask, redeem }) => {
  const world = await createWorld();
  await signUp(world.deps, ctx, { email, password: 'correct horse' });
  await ask(world);
  const { code } = await lastMail(world);
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => redeem(world, code)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await world.eventsOf('CodeUsed')).toHaveLength(1);
});
