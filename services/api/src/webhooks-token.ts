import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { Clock } from '@gatebook/runtime/clock';

/** The admin who asked for a token, for whom its holder acts. */
type Issuer = { projectId: string; keyId: string | null; owner: { id: string; sessionId: string } | null };
/** `endsAt`: in milliseconds since 1970. */
export type WebhooksToken = Issuer & { endsAt: number };

const associated = 'webhooks page token';
const lifeMs = 3_600_000;

/** A token that opens the webhooks of one project and nothing else (docs/decisions/0098). */
export async function issueWebhooksToken(
  { responseCipher, now }: { responseCipher: ResponseCipher; now: Clock },
  { projectId, keyId, owner }: Issuer,
): Promise<string> {
  const facts: WebhooksToken = { projectId, keyId, owner, endsAt: Date.parse(now()) + lifeMs };
  const encrypted = await responseCipher.encrypt(associated, [], JSON.stringify(facts));
  if (!encrypted) throw new Error('a token has no subjects');
  return encrypted.answer;
}

/** null for any other text. */
export async function openWebhooksToken(responseCipher: ResponseCipher, token: string): Promise<WebhooksToken | null> {
  const text = await responseCipher.open(associated, { answer: token, subjects: [] }).catch(() => null);
  return text === null ? null : (JSON.parse(text) as WebhooksToken);
}
