import type { Context } from '@gatebook/commands/deps';

/** Gatebook itself is the actor; the request is about one email. */
export function onBehalfOfGatebook({ projectId, emailId }: { projectId: string; emailId: string }): Context {
  return { projectId, actor: { kind: 'system', id: null }, requestId: `email ${emailId}`, ip: null, userAgent: null };
}
