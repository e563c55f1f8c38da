import type { PreviewedCall } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import type { OwnerClientOptions } from '@gatebook/js/owner-client';
import { createContext } from 'react';

/** `etag`: null for a write that would be rejected. `reload`: resolves when the present effects are shown. */
export type ShownPreview = { call: PreviewedCall; etag: string | null; reload: () => Promise<void> };

/** The previews that a person sees, so that what they confirm is what happens. */
export type ShownPreviews = {
  /** @returns what takes it away */
  show: (projectId: string, preview: ShownPreview) => () => void;
  /** Makes a write whose preview is shown only if nothing that the preview stands on has changed. */
  sendThrough: NonNullable<OwnerClientOptions['sendThrough']>;
};

type Entry = ShownPreview & { projectId: string };

export function createShownPreviews(): ShownPreviews {
  const entries = new Set<Entry>();
  const find = (projectId: string, call: PreviewedCall): Entry | undefined =>
    [...entries].find((entry) => entry.projectId === projectId && nameOf(entry.call) === nameOf(call));
  return {
    show: (projectId, preview) => {
      const entry = { ...preview, projectId };
      entries.add(entry);
      return () => entries.delete(entry);
    },
    sendThrough: (projectId, send) => async (method, path, body, options) => {
      const shown = method === 'GET' ? undefined : find(projectId, { method, path, body });
      if (!shown || shown.etag === null || options?.ifMatch !== undefined) return send(method, path, body, options);
      try {
        const answer = await send<never>(method, path, body, { ...options, ifMatch: shown.etag });
        // A form may save by several writes. The first one changes what the others stand on.
        for (const other of entries) if (other.projectId === projectId) other.etag = null;
        return answer;
      } catch (error) {
        if (isKnownError(error, 'PREVIEW_OUTDATED')) await shown.reload();
        throw error;
      }
    },
  };
}

/** Names a call as the ETag does (services/api/src/http/preview-etags.ts). */
function nameOf({ method, path, body }: PreviewedCall): string {
  const isEmpty = typeof body !== 'object' || body === null || Object.keys(body).length === 0;
  return JSON.stringify([method, path, isEmpty ? null : body], (name, value: unknown) =>
    name === 'password' && typeof value === 'string' ? '' : value,
  );
}

/** Says which previews the current project shows. */
export const ShowPreviewContext = createContext<(preview: ShownPreview) => () => void>(() => () => {});
