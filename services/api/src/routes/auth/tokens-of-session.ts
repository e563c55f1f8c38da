import type { TokensView } from '@gatebook/contract/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import type { TokenFacts } from '../../tokens.ts';

type Started = { userId: string; sessionId: string; refreshToken: string; position: bigint | null };

/** What a sign-in answers. The user's facts are asked for once the rows have the session. */
export async function answerSignIn(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  started: Started,
  factsOf: () => Promise<TokenFacts> | TokenFacts,
): Promise<TokensView> {
  await waitFor(deps, reply, started.position);
  const facts = await factsOf();
  const { token } = await deps.tokens.issue(facts);
  recordActivity(deps, request, facts);
  return { access_token: token, refresh_token: started.refreshToken, user_id: started.userId };
}

/** A sign-in or refresh is activity of its session; written down a moment later. */
export function recordActivity(
  { activity, now }: Deps,
  { endUser: { ip, country } }: FastifyRequest,
  { projectId, userId, sessionId }: TokenFacts,
): void {
  activity.record({ projectId, userId, sessionId, at: now(), ip, country });
}
