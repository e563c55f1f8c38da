import { recordUserExport } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import { UserExportBody } from '@gatebook/contract/user-search';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';

/** Users are exported page by page, and a page does not tell whether it is shown or written to a file. */
export const recordUserExportRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-exports',
  access: adminOnly,
  role: 'read_only',
  tags: ['Users'],
  summary: 'Record an export of users',
  description:
    'Adds the export to the audit log, with the actor. The dashboard sends this before it reads the users whom it writes to a file. Reads of users without it are not recorded.',
  body: UserExportBody,
  response: { 200: Success },
  handle: async ({ deps, context, body }) => answerSuccess((await recordUserExport(deps, context, body)).position),
});
