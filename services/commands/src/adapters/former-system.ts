import type { PasswordMigration } from '@gatebook/domain/project/state';
import { randomBase32 } from '@gatebook/runtime/ids';
import { OutgoingError, sendRequest } from '@gatebook/runtime/outgoing/send-request';
import { signWebhook } from '@gatebook/runtime/outgoing/standard-webhooks';
import { pause } from '@gatebook/runtime/pause';
import { z } from 'zod';
import type { FormerSystem, FormerUser } from '../password/former-system.ts';

const deadlineMs = 3_000;
const maxResponseBytes = 256 * 1_024;
/** After this many failures in a row, the system is not asked for a while. */
const maxFailures = 5;
const pauseMs = 30_000;
/** More requests at once would only queue in a system that is slow. */
const maxRunning = 20;
const maxDurations = 50;
const maxTargets = 1_000;

const metadata = z.json().refine((value) => JSON.stringify(value).length <= 65_536);
const Answer = z.discriminatedUnion('valid', [
  z.object({ valid: z.literal(false) }),
  z.object({
    valid: z.literal(true),
    user: z
      .object({
        id: z.uuid().toLowerCase().optional(),
        email_verified: z.boolean().default(false),
        display_name: z.string().max(256).nullish(),
        profile_image_url: z.url().max(4_096).nullish(),
        signed_up_at_millis: z.number().int().min(0).optional(),
        client_metadata: metadata.nullish(),
        client_read_only_metadata: metadata.nullish(),
        server_metadata: metadata.nullish(),
      })
      .default({ email_verified: false }),
  }),
]);

/** What is known about one URL in this process. */
type Health = { failures: number; pausedUntil: number; running: number; durations: number[] };

/**
 * Asks former systems over HTTP. A system that does not answer is not asked for half a minute, so that sign-ins do not
 * wait for it.
 */
export function createFormerSystem({ allowPrivate }: { allowPrivate: boolean }): FormerSystem {
  const healths = new Map<string, Health>();

  function healthOf(url: string): Health {
    const health = healths.get(url) ?? { failures: 0, pausedUntil: 0, running: 0, durations: [] };
    healths.delete(url);
    healths.set(url, health);
    const [oldest] = healths.keys();
    if (healths.size > maxTargets && oldest !== undefined) healths.delete(oldest);
    return health;
  }

  return {
    check: async (target, { projectId, email, password }) => {
      const health = healthOf(target.url);
      const started = performance.now();
      if (started < health.pausedUntil || health.running >= maxRunning) return null;
      // After a pause, one request finds out whether the system is back.
      if (health.failures >= maxFailures) health.pausedUntil = started + pauseMs;
      health.running += 1;
      try {
        const body = JSON.stringify({ project_id: projectId, email, password });
        const limits = { deadlineMs, maxResponseBytes, allowPrivate };
        const response = await sendRequest(
          target.url,
          { method: 'POST', headers: headersOf(target, body), body },
          limits,
        );
        // Any other answer shows that the system works, so nobody can stop others' migration with odd input.
        if (response.status >= 500 || response.status === 429) return noteFailure(health);
        health.failures = 0;
        health.pausedUntil = 0;
        const answer = response.status === 200 ? Answer.safeParse(parse(response.body)) : null;
        return answer?.success && answer.data.valid ? toUser(answer.data.user) : null;
      } catch (error) {
        if (error instanceof OutgoingError) return noteFailure(health);
        throw error;
      } finally {
        health.running -= 1;
        health.durations = [...health.durations, performance.now() - started].slice(-maxDurations);
      }
    },
    imitate: async ({ url }) => {
      const { pausedUntil, running, durations } = healthOf(url);
      if (performance.now() < pausedUntil || running >= maxRunning) return;
      await pause(durations[Math.floor(Math.random() * durations.length)] ?? 0);
    },
  };
}

function noteFailure(health: Health): null {
  health.failures += 1;
  if (health.failures >= maxFailures) health.pausedUntil = performance.now() + pauseMs;
  return null;
}

function headersOf({ secret }: PasswordMigration, body: string): Record<string, string> {
  const id = `msg_${randomBase32(26)}`;
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...signWebhook({ id, at: new Date().toISOString(), body, secrets: [secret] }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Profile = Extract<z.infer<typeof Answer>, { valid: true }>['user'];

const toUser = (user: Profile): FormerUser => ({
  id: user.id,
  isEmailVerified: user.email_verified,
  displayName: user.display_name ?? null,
  profileImageUrl: user.profile_image_url ?? null,
  signedUpAtMillis: user.signed_up_at_millis,
  clientMetadata: user.client_metadata ?? null,
  clientReadOnlyMetadata: user.client_read_only_metadata ?? null,
  serverMetadata: user.server_metadata ?? null,
});
