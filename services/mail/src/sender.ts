import type { Sender } from '@gatebook/domain/email/events';
import type { ProjectConfig, ProjectSecrets } from '@gatebook/domain/project/config';
import { defused } from './variables.ts';

export type SmtpServer = {
  /** Who named it: an operator may use what a project may not. */
  owner: 'deployment' | 'project';
  host: string;
  port: number;
  /** TLS from the first byte on; otherwise STARTTLS where the server offers it. */
  isSecure: boolean;
  username: string | null;
  password: string | null;
};

/** The mail server of the deployment, for projects without one of their own. */
export type SharedMail = { url: string; senderEmail: string };

type Project = { displayName: string; config: Pick<ProjectConfig, 'emailConfig'>; secrets: ProjectSecrets };

/** Through which server a project's mails leave, and under which name. */
export function resolveSender(project: Project, shared: SharedMail): { server: SmtpServer; sender: Sender } {
  const { emailConfig } = project.config;
  if (emailConfig.type === 'standard') {
    const { host, port, username, senderName, senderEmail } = emailConfig;
    return {
      server: ownServer({ host, port, username, password: project.secrets.emailPassword }),
      sender: { type: 'standard', host, port, username, senderName, senderEmail },
    };
  }
  const server = serverOf(shared.url);
  const { host, port, username } = server;
  const senderName = defused(project.displayName);
  return { server, sender: { type: 'shared', host, port, username, senderName, senderEmail: shared.senderEmail } };
}

type Given = { host: string; port: number; username: string; password: string | null };

/** A server as its owner described it; without a user name nobody signs in. */
export function ownServer({ host, port, username, password }: Given): SmtpServer {
  const account = { username: username || null, password: username ? password : null };
  return { owner: 'project', host, port, isSecure: port === 465, ...account };
}

/** @param url `smtp://user:password@host:port`, or `smtps://…` for TLS from the start, which port 465 means too */
export function serverOf(url: string): SmtpServer {
  const { protocol, hostname, port: given, username, password } = new URL(url);
  const port = given === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(given);
  return {
    owner: 'deployment',
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    isSecure: protocol === 'smtps:' || port === 465,
    username: decoded(username) || null,
    password: decoded(password) || null,
  };
}

/** A percent sign that begins no escape stands for itself: nobody can be asked any more. */
function decoded(part: string): string {
  return part.replace(/(%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString());
}
