import type { CodePurpose } from '@gatebook/domain/code/events';
import type { EmailType } from '@gatebook/domain/email/events';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { ProjectConfig, ProjectSettings } from '@gatebook/domain/project/config';
import type { Context, WriteDeps } from '../deps.ts';
import { requestEmail } from '../email/email.ts';
import type { UnitOfWork } from '../execute.ts';
import { addCode, newCode } from './code.ts';

/** What commands have to know of the caller's project. */
export type ProjectFacts = {
  displayName: string;
  config: ProjectConfig;
  permissions: Definitions;
  /** Left out where no quota is to count. */
  settings?: Partial<Pick<ProjectSettings, 'quotas' | 'breachedPasswordsRejected'>>;
};

/** Codes that go by mail (protocol, auth §2). */
export const mailedCodeLifeMs = 7 * 24 * 60 * 60_000;

type CodeMail = {
  emailType: EmailType;
  purpose: CodePurpose;
  recipient: string;
  /** null when nobody is known by the address. */
  userId: string | null;
  callbackUrl: string;
  payload?: Record<string, string>;
  /** Given the link of the mail and the code in it. */
  variables: (link: string, code: string) => Record<string, string>;
};

/** A code and the mail that carries it, made before the plan that records both in one append. */
export function newCodeMail(deps: WriteDeps, ctx: Context, mail: CodeMail, at: string) {
  const { emailType, purpose, recipient, userId, callbackUrl, payload = {}, variables } = mail;
  const emailId = deps.newId();
  const subject = userId === null ? {} : { subjectId: userId };
  const issued = newCode(
    deps,
    ctx,
    { purpose, lifeMs: mailedCodeLifeMs, recipient, callbackUrl, payload, ...subject },
    at,
  );
  const { code, codeId, subjectId, expiresAt } = issued;
  const email = {
    emailId,
    emailType,
    recipient,
    userId,
    variables: variables(linkTo(callbackUrl, code), code),
    expiresAt,
  };
  return {
    code,
    codeId,
    subjectId,
    /** Code first: without its mail it is only a code that nobody has. */
    add: (work: UnitOfWork) => {
      addCode(work, issued);
      requestEmail(work, email, at);
    },
  };
}

/** `code` is set in the address, whatever stood there before. */
function linkTo(callbackUrl: string, code: string): string {
  const link = new URL(callbackUrl);
  link.searchParams.set('code', code);
  return link.href;
}

/** Variables of a name that not everybody has. */
export const named = (displayName: string | null): Record<string, string> =>
  displayName === null ? {} : { userDisplayName: displayName };
