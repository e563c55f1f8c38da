import { OperationsView } from '@gatebook/contract/operations';
import { adminOnly, mayOperate } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { operationsView } from './status.ts';

/** For owners of `internal`, who operate this server. */
export const operationsRoute = defineRoute({
  method: 'GET',
  path: '/internal/operations',
  access: adminOnly,
  role: 'owner',
  errors: ['EXPECTED_INTERNAL_PROJECT'],
  tags: ['Operations'],
  summary: 'Get the status of the event log and projections',
  description:
    'For owners of project `internal`, who operate this server. Shows the positions of projections and subscriptions.',
  response: { 200: OperationsView },
  isTranslated: true,
  handle: async ({ deps, caller, language }) => {
    mayOperate(caller);
    return operationsView(deps, language);
  },
});
