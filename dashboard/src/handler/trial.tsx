import { createClientApp, createMemoryTokenStore, resolveUrls, type Session, type Urls } from '@gatebook/js/core';
import { HandlerPages, navigateWithin } from '@gatebook/react/handler-pages';
import { useState } from 'react';
import type { HandlerTexts } from './english-texts.tsx';

type Props = { projectId: string; origin: string; longestWaitMs: number; lang: string; texts: HandlerTexts };

/** The sign-in pages of a project for a member who tries them. The session ends with the page. */
export function Trial({ projectId, origin, longestWaitMs, lang, texts }: Props) {
  const [app] = useState(() =>
    createClientApp({
      baseUrl: origin,
      projectId,
      tokenStore: createMemoryTokenStore(),
      redirectMethod: { navigate: navigateWithin('/handler') },
      urls: trialUrls(projectId),
      longestWaitMs,
    }),
  );
  const extraInfo = texts.trialNote(origin, `/projects/${encodeURIComponent(projectId)}/settings/domains`);
  return <HandlerPages app={app} lang={lang} extraInfo={extraInfo} storeLastUsed={() => {}} />;
}

/** The pages name the project, so that links in emails and providers lead back to it. */
function trialUrls(projectId: string): Urls {
  const { handler, ...pages } = resolveUrls({ afterSignIn: '/handler/account-settings' });
  const search = new URLSearchParams({ project_id: projectId });
  const named = Object.entries(pages).map(([name, url]) => [name, `${url}?${search}`]);
  return { ...pages, ...Object.fromEntries(named), handler, home: `/projects/${encodeURIComponent(projectId)}` };
}

/**
 * Whether an owner is a member of a project. Others must not get its sign-in on this origin: it would look like that
 * of Gatebook, and a project can have passwords checked by a server of its owner.
 */
export async function isMember(session: Pick<Session, 'tokens'>, projectId: string): Promise<boolean> {
  const tokens = await session.tokens();
  if (tokens === null) return false;
  const headers = {
    'x-stack-access-type': 'admin',
    'x-stack-project-id': projectId,
    'x-stack-admin-access-token': tokens.accessToken,
  };
  const response = await fetch('/api/v1/internal/projects/current', { headers, cache: 'no-store' });
  return response.ok;
}
