import { presentCode } from '@gatebook/commands/code/code';
import type { Context } from '@gatebook/commands/deps';
import { checkResetCode } from '@gatebook/commands/password/password-reset';
import { checkSignInCode } from '@gatebook/commands/sign-in/sign-in-code';
import { CodeBody, CodeCheck } from '@gatebook/contract/auth';
import { clientAndUp } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors } from './errors.ts';

type Checked = {
  path: string;
  summary: string;
  check: (deps: Deps, ctx: Context, input: { code: string }) => Promise<unknown>;
};

/** (protocol, auth §2) */
const description = 'Doesn’t redeem the code, but counts as one of its 20 allowed attempts.';

const checkCodeRoute = ({ path, check, summary }: Checked) =>
  defineRoute({
    method: 'POST',
    path,
    access: clientAndUp,
    session: 'any',
    limit: 'code',
    errors: codeErrors,
    tags: ['Sign-in'],
    summary,
    description,
    body: CodeBody,
    response: { 200: CodeCheck },
    handle: async ({ deps, context, body }) => {
      await check(deps, context, { code: body.code });
      return { position: null, body: { is_code_valid: true as const } };
    },
  });

export const checkResetCodeRoute = checkCodeRoute({
  path: '/auth/password/reset/check-code',
  check: checkResetCode,
  summary: 'Check a password reset code',
});

export const checkSignInCodeRoute = checkCodeRoute({
  path: '/auth/otp/sign-in/check-code',
  check: checkSignInCode,
  summary: 'Check a sign-in code',
});

export const checkVerificationCodeRoute = checkCodeRoute({
  path: '/contact-channels/verify/check-code',
  check: (deps, ctx, { code }) => presentCode(deps, ctx, { code, purpose: 'contact_channel_verification' }),
  summary: 'Check a verification code',
});
