import type { ChangeTarget } from '@gatebook/contract/previews';

const typeByCategory: Readonly<Record<string, ChangeTarget['type']>> = {
  user: 'user',
  team: 'team',
  membership: 'membership',
  project: 'project',
  projectclosure: 'project',
  projectkey: 'project_key',
  apikey: 'api_key',
  session: 'session',
  email: 'email',
  webhook: 'webhook_endpoint',
  userbatch: 'user_batch',
};

/** The thing that a stream is about. The names of other streams are not shown. */
export function targetOfStream(stream: string): ChangeTarget {
  const dash = stream.indexOf('-');
  const type = typeByCategory[stream.slice(0, dash)];
  return type === undefined ? { type: 'other', id: null } : { type, id: stream.slice(dash + 1) };
}
