import { userDecider } from '@gatebook/domain/user/decide';
import type { Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { streamOf } from '../streams.ts';

/** `requestId`: the request that was rejected. */
type Throttled = {
  projectId: string;
  userId: string;
  failures: number;
  minutes: number;
  requestId: string;
  at: string;
};

/**
 * Records that so many sign-ins of a user failed that one was rejected. Records it once in `minutes`, so callers can
 * repeat a call whose outcome they don't know. Does nothing for a deleted user.
 */
export async function recordThrottledSignIns(
  deps: WriteDeps,
  { projectId, userId, failures, minutes, requestId, at }: Throttled,
): Promise<void> {
  const ctx: Context = { projectId, actor: { kind: 'system', id: null }, requestId };
  await transact(deps, ctx, async (work) => {
    const user = await work.load(userDecider, streamOf.user(userId));
    if (user.state.status !== 'active' || user.state.projectId !== projectId) return;
    user.decide({ type: 'ThrottleSignIns', failures, minutes, at });
  });
}
