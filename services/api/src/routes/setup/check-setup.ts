import { isOwnerSetupOpen } from '@gatebook/commands/project/owner-setup';
import { SetupQuery, SetupView } from '@gatebook/contract/setup';
import { reject } from '@gatebook/domain/errors';
import { clientAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

/** Checks the link without redeeming it. */
export const checkSetupRoute = defineRoute({
  method: 'GET',
  path: '/internal/setup',
  access: clientAndUp,
  limit: 'setup',
  errors: ['EXPECTED_INTERNAL_PROJECT'],
  tags: ['Setup'],
  summary: 'Check a setup link',
  description: 'Doesn’t redeem the link.',
  query: SetupQuery,
  response: { 200: SetupView },
  handle: async ({ deps, caller, query }) => {
    if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
    return { is_valid: await isOwnerSetupOpen(deps, query.token) };
  },
});
