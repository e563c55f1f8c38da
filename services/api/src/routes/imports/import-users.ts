import { isRecord } from '@gatebook/contract/import/row';
import { ImportUsersBody, ImportUsersView } from '@gatebook/contract/imports';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { importUserRows } from '../../import/import-user-rows.ts';
import { createSeenStreams } from '../../import/seen-streams.ts';
import type { FirebaseHash } from '../../import/source.ts';
import { sourceLoaders } from '../../import/sources.ts';

/** One batch of an import. A batch that is sent again leaves the users who are there as they are. */
export const importUsersRoute = defineRoute({
  method: 'POST',
  path: '/internal/imports/users',
  bodySize: 'large',
  access: adminOnly,
  storesNothing: true,
  tags: ['Users'],
  summary: 'Import users of another product',
  description:
    'Takes rows of an export, a batch at a time. Users who are in the project are only given what they lack, so a batch can be sent again. Rejected rows do not affect the others. A dry run finds duplicates within its batch, and with users of the project.',
  body: ImportUsersBody,
  response: { 200: ImportUsersView },
  handle: async ({ deps, caller, context, body }) => {
    const { source: sourceName, rows, is_dry_run = false, new_ids = false, firebase_hash } = body;
    const source = await sourceLoaders[sourceName]();
    const run = {
      deps,
      newContext: () => context,
      target: { projectId: caller.projectId, project: caller.project, sourceName, hasNewIds: new_ids },
      rehearsal: is_dry_run ? createSeenStreams() : null,
    };
    const read = { source, sourceOptions: { firebaseHash: firebase_hash ? toFirebaseHash(firebase_hash) : null } };
    const given = rows.map(({ line, value }) =>
      isRecord(value) ? { line, value } : { line, error: 'The row is not an object.' },
    );
    const items = await importUserRows(run, given, read);
    const position = is_dry_run ? null : await deps.store.head();
    return { position, body: { items: items.map((item) => ({ ...item, problems: [...item.problems] })) } };
  },
});

const toFirebaseHash = (hash: NonNullable<ImportUsersBody['firebase_hash']>): FirebaseHash => ({
  signerKey: hash.signer_key,
  saltSeparator: hash.salt_separator,
  rounds: hash.rounds,
  memCost: hash.mem_cost,
});
