import type { Context } from '@gatebook/commands/deps';

/** Who acts when nobody asked: Gatebook itself, about one mail. */
export function onBehalfOfGatebook({ projectId, emailId }: { projectId: string; emailId: string }): Context {
  return { projectId, actor: { kind: 'system', id: null }, requestId: `email ${emailId}`, ip: null, userAgent: null };
}
