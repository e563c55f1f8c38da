import { connectTo, findUser } from './connect.ts';
import { readSession, removeSession, type StoredSession } from './session-file.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { describeUser, toJson } from './user-text.ts';

/** Says who is signed in, as the server sees it now. */
export async function whoami(surroundings: Surroundings, { json }: { json: boolean }): Promise<void> {
  const session = await requireSession(surroundings);
  const user = await findUser(surroundings, session);
  const { url, projectId } = session;
  surroundings.say(
    json
      ? JSON.stringify({ url, project_id: projectId, user: toJson(user) })
      : `${describeUser(user)}, project ${projectId} at ${url}`,
  );
}

/** Ends the session; with `local` it is only forgotten here, for when the server is gone. */
export async function logout(
  surroundings: Surroundings,
  { json, local }: { json: boolean; local: boolean },
): Promise<void> {
  const session = await requireSession(surroundings);
  if (!local) await connectTo(surroundings, session, session.refreshToken).auth.signOut();
  await removeSession(surroundings.sessionFile);
  const words = local ? 'Forgotten here. At the server the session goes on until it expires.' : 'Signed out.';
  surroundings.say(json ? JSON.stringify({ event: 'signed_out', is_session_ended: !local }) : words);
}

async function requireSession({ sessionFile }: Surroundings): Promise<StoredSession> {
  const session = await readSession(sessionFile);
  if (session) return session;
  throw new CommandError('Nobody is signed in. Run: npm run gatebook -- login', exitCodes.notSignedIn);
}
