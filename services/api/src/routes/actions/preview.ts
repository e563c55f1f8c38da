import { reversibilityOfAll } from '@gatebook/commands/undo/reversibility';
import { errorBody, rejections } from '@gatebook/contract/plain-errors';
import { PreviewBody, PreviewView } from '@gatebook/contract/previews';
import type { DomainError } from '@gatebook/domain/errors';
import type { FastifyRequest } from 'fastify';
import { clientAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { errorLanguageOf } from '../../http/error-language.ts';
import { errorText } from '../../http/error-texts.ts';
import { type Preview, runPreview } from '../../http/previews.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { listChangedSince } from './changed-since.ts';
import { describeChanges, foldWrites, knownDefinitions } from './changes.ts';
import { listEffects } from './effects.ts';
import { asRecorded, viewEvents } from './event-views.ts';
import { withoutGenerated, withoutSecrets } from './hide-values.ts';
import { reasonIn } from './undo-reasons.ts';

/** `errorLanguage`: of the error that the write would answer. */
type Ran = {
  preview: Preview;
  status: number;
  text: string;
  errorLanguage: TextLanguage;
  since: string | undefined;
};

async function toView(
  deps: Deps,
  { caller, language }: { caller: Caller; language: TextLanguage },
  { preview, status, text, errorLanguage, since }: Ran,
): Promise<PreviewView> {
  const { projectId, project } = caller;
  const { outcome, failure, generated } = preview;
  if (outcome === null || status >= 400)
    return rejectedView(status, failure ? toError(errorLanguage, failure) : { code: null, details: null, error: text });
  const { writes, basis, etag } = outcome;
  const changes = await foldWrites(deps.store, writes);
  const events = asRecorded(writes, await deps.store.head(), deps.now());
  const effects = await listEffects({ ...deps, caller, projectId, project, language }, changes, events);
  const permissions = knownDefinitions(changes, project.permissions);
  const { views } = await viewEvents(deps, { projectId, permissions, language }, events);
  const { isReversible, reasons } = reversibilityOfAll(events.map(({ type }) => type));
  const context = { projectId, permissions: project.permissions, language };
  const shown = {
    body: withoutSecrets(JSON.parse(text)) as PreviewView['body'],
    changes: describeChanges(changes, permissions),
    events: views,
    effects,
  };
  return {
    status,
    error: null,
    ...withoutGenerated(shown, generated),
    is_reversible: isReversible || events.length === 0,
    irreversible_reasons: isReversible ? [] : reasons.map((reason) => reasonIn(language, reason)),
    etag,
    changed_since: since === undefined ? null : await listChangedSince(deps, context, { since, basis }),
  };
}

const nothing = {
  ...{ changes: [], events: [], effects: [], is_reversible: false, irreversible_reasons: [] },
  ...{ etag: null, changed_since: null },
};

/** The answer of a write that would be rejected, or that can't be decided at the moment. */
const rejectedView = (status: number, error: PreviewView['error']): PreviewView => ({
  status,
  body: null,
  error,
  ...nothing,
});

function toError(language: TextLanguage, { code, details }: DomainError): PreviewView['error'] {
  const rejection = rejections[code];
  const error = errorText(language, code, details);
  if (!('details' in rejection)) return { code: null, details: null, error };
  return { code, details: errorBody(code, rejection, details).details ?? null, error };
}

/** Runs a write of the same caller without writing anything. @throws DomainError PREVIEW_NOT_SUPPORTED */
export async function previewWrite(
  deps: Deps,
  request: FastifyRequest,
  reader: { caller: Caller; language: TextLanguage },
  { since, ...write }: PreviewBody,
): Promise<PreviewView> {
  const ran = { ...(await runPreview(deps, request, write)), errorLanguage: errorLanguageOf(request), since };
  return toView(deps, reader, ran);
}

export const previewRoute = defineRoute({
  method: 'POST',
  path: '/internal/previews',
  bodySize: 'large',
  access: clientAndUp,
  session: 'any',
  role: 'read_only',
  opensDeletedProject: true,
  storesNothing: true,
  errors: ['PREVIEW_NOT_SUPPORTED'],
  tags: ['Actions'],
  summary: 'Preview a write',
  description:
    'Runs a request of the same caller without writing anything: what it would answer, change and cause, and whether it can be undone. Send `etag` as If-Match with the write, so that it is rejected if anything has changed. Then preview again with `since`. Clients can preview only the transfer of a project.',
  body: PreviewBody,
  response: { 200: PreviewView },
  isTranslated: true,
  handle: async ({ deps, request, caller, language, body }) => ({
    position: null,
    body: await previewWrite(deps, request, { caller, language }, body),
  }),
});
