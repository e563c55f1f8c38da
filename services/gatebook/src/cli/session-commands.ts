import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { connectTo, findUser } from './connect.ts';
import { readSession, removeSession, type StoredSession } from './session-file.ts';
import { describeUser, toJson } from './user-text.ts';

/** Prints who is signed in, according to the server. */
export async function whoami(context: CliContext, { json }: { json: boolean }): Promise<void> {
  const session = await requireSession(context);
  const user = await findUser(context, session);
  const { url, projectId } = session;
  context.print(
    json
      ? JSON.stringify({ url, project_id: projectId, user: toJson(user) })
      : `${describeUser(user)}, project ${projectId} at ${url}`,
  );
}

/** Ends the session. With `local` only the session file is deleted, for a server that is gone. */
export async function logout(context: CliContext, { json, local }: { json: boolean; local: boolean }): Promise<void> {
  const session = await requireSession(context);
  if (!local) await connectTo(context, session, session.refreshToken).auth.signOut();
  await removeSession(context.sessionFile);
  const text = local
    ? 'Deleted the session file. The session on the server stays valid until it expires.'
    : 'Signed out.';
  context.print(json ? JSON.stringify({ event: 'signed_out', is_session_ended: !local }) : text);
}

export async function requireSession({ sessionFile }: CliContext): Promise<StoredSession> {
  const session = await readSession(sessionFile);
  if (session) return session;
  throw new CommandError('You are not signed in. Run: gatebook login', exitCodes.notSignedIn);
}
