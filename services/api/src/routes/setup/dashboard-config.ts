import { isOwnerMissing } from '@gatebook/commands/project/owner-setup';
import { DashboardConfigView } from '@gatebook/contract/setup';
import { defineRoute } from '../../http/define-route.ts';
import { servesInbox } from '../../http/inbox-pages.ts';

/** Everything that the dashboard needs before sign-in. Contains no secrets. */
export const dashboardConfigRoute = defineRoute({
  method: 'GET',
  path: '/dashboard/config.json',
  isRoot: true,
  access: 'anyone',
  tags: ['Setup'],
  summary: 'Get the dashboard configuration',
  description: 'Contains no secrets.',
  response: { 200: DashboardConfigView },
  handle: async ({ deps, reply }) => {
    const { config, version } = deps;
    const isClosed = config.internal.signUp === 'closed';
    reply.header('cache-control', 'no-store');
    return {
      api_url: config.http.publicUrl,
      project_id: 'internal' as const,
      publishable_client_key: config.internal.publishableClientKey,
      sign_up: config.internal.signUp,
      is_setup_required: isClosed && (await isOwnerMissing(deps)),
      has_inbox: servesInbox(deps),
      version,
    };
  },
});
