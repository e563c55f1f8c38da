import { OperationsView } from '@gatebook/contract/operations';
import { adminOnly, mayOperate } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { operationsView } from './status.ts';

/** For the owners of `internal`: the people who run this server. */
export const operationsRoute = defineRoute({
  method: 'GET',
  path: '/internal/operations',
  access: adminOnly,
  errors: ['EXPECTED_INTERNAL_PROJECT'],
  tags: ['Operations'],
  summary: 'The log and its subscriptions',
  description: 'For the owners of `internal`, who run this server: how far read models and workers are.',
  response: { 200: OperationsView },
  handle: async ({ deps, caller }) => {
    mayOperate(caller);
    return operationsView(deps);
  },
});
