import { Success } from '@gatebook/contract/common';
import { QuarantinedProjectId } from '@gatebook/contract/operations';
import { z } from 'zod';
import { adminOnly, mayOperate } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

export const releaseQuarantinedProjectRoute = defineRoute({
  method: 'POST',
  path: '/internal/operations/quarantines/:project_id/release',
  access: adminOnly,
  role: 'owner',
  errors: ['EXPECTED_INTERNAL_PROJECT'],
  tags: ['Operations'],
  summary: 'Release a quarantined project',
  description:
    'Retries the waiting events of the project in every projection and reactor. If an event fails again, the project stays quarantined there. `GET /internal/operations` shows the result.',
  params: z.strictObject({ project_id: QuarantinedProjectId }),
  response: { 200: Success },
  handle: async ({ deps, caller, params }) => {
    mayOperate(caller);
    await deps.releaseProject(params.project_id);
    return answerSuccess(null);
  },
});
