import type { CodePurpose } from '@gatebook/domain/code/events';
import type { EmailType } from '@gatebook/domain/email/events';
import type { Context, WriteDeps } from '../deps.ts';
import { requestEmail } from '../email/email.ts';
import type { UnitOfWork } from '../execute.ts';
import { addCode, generateCode } from './code.ts';

/** Lifetime of emailed codes (protocol, auth §2). */
export const emailedCodeLifeMs = 7 * 24 * 60 * 60_000;

type CodeEmail = {
  emailType: EmailType;
  purpose: CodePurpose;
  recipient: string;
  /** null when no user has this address. */
  userId: string | null;
  callbackUrl: string;
  payload?: Record<string, string | number>;
  /** Builds the variables of the email from its link and code. */
  variables: (link: string, code: string) => Record<string, string>;
};

/** Prepares a code and the email that carries it, outside the unit of work that records both in one append. */
export function prepareCodeEmail(deps: WriteDeps, ctx: Context, codeEmail: CodeEmail, at: string) {
  const { emailType, purpose, recipient, userId, callbackUrl, payload = {}, variables } = codeEmail;
  const emailId = deps.newId();
  const subject = userId === null ? {} : { subjectId: userId };
  const newCode = generateCode(
    deps,
    ctx,
    { purpose, lifeMs: emailedCodeLifeMs, recipient, callbackUrl, payload, ...subject },
    at,
  );
  const { code, codeId, subjectId, expiresAt } = newCode;
  const email = {
    emailId,
    emailType,
    recipient,
    userId,
    variables: variables(buildLink(callbackUrl, code), code),
    language: ctx.language ?? null,
    expiresAt,
  };
  return {
    code,
    codeId,
    subjectId,
    /** The code comes first: without its email nobody has it. */
    add: (work: UnitOfWork) => {
      addCode(work, newCode);
      requestEmail(work, email, at);
    },
  };
}

/** Replaces an existing `code` parameter. */
function buildLink(callbackUrl: string, code: string): string {
  const link = new URL(callbackUrl);
  link.searchParams.set('code', code);
  return link.href;
}

/** Template variables for the name of a user who may have none. */
export const nameVariables = (displayName: string | null): Record<string, string> =>
  displayName === null ? {} : { userDisplayName: displayName };
