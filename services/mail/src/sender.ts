import type { Sender } from '@gatebook/domain/email/events';
import type { ProjectConfig, ProjectSecrets } from '@gatebook/domain/project/config';
import { defuseName } from './variables.ts';

export type SmtpServer = {
  /** Who configured it: an operator is trusted with hosts that a project is not. */
  owner: 'deployment' | 'project';
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS if the server offers it. */
  isSecure: boolean;
  username: string | null;
  password: string | null;
};

/** The installation's SMTP server, for projects without their own. */
export type SharedMail = { url: string; senderEmail: string };

type Project = { displayName: string; config: Pick<ProjectConfig, 'emailConfig'>; secrets: ProjectSecrets };

/** Why nothing is sent without an SMTP server. */
export const noServerMessage = (projectName: string): string =>
  `No SMTP server is configured. Set one up for ${projectName}, or set GATEBOOK_SMTP_URL on the server.`;

/**
 * The SMTP server and the sender of a project's emails. `shared`: null for an installation without one.
 * @returns `server` null if the project has none
 */
export function resolveSender(
  project: Project,
  shared: SharedMail | null,
): { server: SmtpServer | null; sender: Sender } {
  const { emailConfig } = project.config;
  if (emailConfig.type === 'standard') {
    const { host, port, username, senderName, senderEmail } = emailConfig;
    return {
      server: ownServer({ host, port, username, password: project.secrets.emailPassword }),
      sender: { type: 'standard', host, port, username, senderName, senderEmail },
    };
  }
  const senderName = defuseName(project.displayName);
  if (shared === null) {
    const nowhere = { type: 'shared', host: null, port: null, username: null, senderEmail: '' } as const;
    return { server: null, sender: { ...nowhere, senderName } };
  }
  const server = serverOf(shared.url);
  const { host, port, username } = server;
  return { server, sender: { type: 'shared', host, port, username, senderName, senderEmail: shared.senderEmail } };
}

type ServerConfig = { host: string; port: number; username: string; password: string | null };

/** A server as configured by a project's owner. Without a username, there is no authentication. */
export function ownServer({ host, port, username, password }: ServerConfig): SmtpServer {
  const account = { username: username || null, password: username ? password : null };
  return { owner: 'project', host, port, isSecure: port === 465, ...account };
}

/** @param url `smtp://user:password@host:port`, or `smtps://…` for TLS from the start, which port 465 implies too */
export function serverOf(url: string): SmtpServer {
  const { protocol, hostname, port: portText, username, password } = new URL(url);
  const port = portText === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(portText);
  return {
    owner: 'deployment',
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    isSecure: protocol === 'smtps:' || port === 465,
    username: decodePercent(username) || null,
    password: decodePercent(password) || null,
  };
}

/** Decodes percent escapes; a stray percent sign stays, because there is nobody to report it to. */
function decodePercent(part: string): string {
  return part.replace(/(%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString());
}
