import type { BrowserContext, Page } from 'playwright-core';

/** How the server answers what a page asks about a project. */
export type AnswerKind = 'real' | 'readOnly' | 'silent' | 'broken' | 'unreachable';
export type AnsweredProject = { realId: string; kind: AnswerKind };

/**
 * From the next document on, requests that are about no project are answered in this way, but for those that keep the
 * person signed in.
 */
export async function answerServer(page: Page, kind: Exclude<AnswerKind, 'real' | 'readOnly'>): Promise<void> {
  // Unlike the storage, the name of a tab can also be read in a sandboxed frame, in which init scripts run too.
  await page.evaluate((value) => {
    window.name = value;
  }, kind);
}

/**
 * Adds projects that are copies of a real one, but whose requests are answered in another way: as to a read-only
 * member, never, with status 500, or not at all, as without a network. So one page walks through all states without a
 * new document. Requests that write are never answered, but for those that only preview.
 */
export async function answerProjects(
  context: BrowserContext,
  projects: Readonly<Record<string, AnsweredProject>>,
): Promise<void> {
  await context.addInitScript((answered) => {
    const ofServer = (['silent', 'broken', 'unreachable'] as const).find((kind) => kind === window.name);
    const realFetch = globalThis.fetch.bind(globalThis);
    const never = () => new Promise<never>(() => {});
    const idIn = (url: URL) => url.searchParams.get('id') ?? '';
    Object.defineProperty(navigator, 'onLine', {
      get: () =>
        ofServer !== 'unreachable' &&
        !Object.entries(answered).some(([id, { kind }]) => kind === 'unreachable' && location.href.includes(id)),
    });

    /** One of the signed-in person's projects, as a copy. */
    const findCopy = async (url: URL, id: string, { realId, kind }: AnsweredProject, init: RequestInit) => {
      url.searchParams.set('id', realId);
      const response = await realFetch(url, init);
      const { items, ...rest } = await response.json();
      const change = { id, ...(kind === 'readOnly' && { role: 'read_only' }) };
      return Response.json({ ...rest, items: items.map((item: object) => ({ ...item, ...change })) });
    };

    globalThis.fetch = async (input, init = {}) => {
      const url = new URL(String(input), location.href);
      if (!url.pathname.startsWith('/api/v1/')) return realFetch(input, init);
      if (url.pathname === '/api/v1/internal/projects/search') {
        const found = answered[idIn(url)];
        if (found && found.kind !== 'real') return findCopy(url, idIn(url), found, init);
      }
      const headers = new Headers(init.headers);
      const projectId = headers.get('x-stack-project-id') ?? '';
      const isSession = url.pathname.startsWith('/api/v1/auth/');
      const server = ofServer === undefined || isSession ? undefined : { realId: projectId, kind: ofServer };
      const copy = answered[projectId] ?? server;
      const isWrite = init.method !== undefined && init.method !== 'GET';
      const isHarmless = /\/auth\/|preview|render|explain/.test(url.pathname);
      if (!copy) return realFetch(input, init);
      if (copy.kind === 'silent') return never();
      if (copy.kind === 'broken') return new Response('', { status: 500 });
      if (copy.kind === 'unreachable') throw new TypeError('Failed to fetch');
      if (isWrite && !isHarmless) return never();
      headers.set('x-stack-project-id', copy.realId);
      return realFetch(input, { ...init, headers });
    };
  }, projects);
}
