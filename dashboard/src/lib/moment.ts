import { createContext, useContext } from 'react';

/** The moment of the past that pages show: milliseconds or the ID of an event; null: now. It is part of the URL. */
export type Moment = { value: string | null; set: (value: string | null) => void };

export const MomentContext = createContext<Moment>({ value: null, set: () => {} });

export function useMoment(): Moment {
  return useContext(MomentContext);
}

const FIELD = 'as_of';

export const momentOf = (search: Readonly<Record<string, unknown>>): string | null =>
  typeof search[FIELD] === 'string' && search[FIELD] !== '' ? search[FIELD] : null;

/** Whether a link names a moment. */
export const hasMoment = (href: string): boolean => new URL(href, 'http://dashboard').searchParams.has(FIELD);

/** The same page at a moment. */
export function hrefAt(href: string, moment: string | null): string {
  const url = new URL(href, 'http://dashboard');
  if (moment === null) url.searchParams.delete(FIELD);
  else url.searchParams.set(FIELD, moment);
  return url.href.slice(url.origin.length);
}

const projectPath = /^\/projects\/([^/?#]+)(\/[^?#]*)?/;

export const projectOf = (href: string): string | null => projectPath.exec(href)?.[1] ?? null;

const isMillis = (moment: string): boolean => /^\d+$/.test(moment);

/** The time of a moment; null for the ID of an event. */
export const timeOf = (moment: string): Date | null => (isMillis(moment) ? new Date(Number(moment)) : null);

type Target = { type: 'user' | 'team' | 'project' | 'email_template'; id: string };

/** What a page shows, by its path and search. `hasPast`: the page can show the past. */
export function subjectOf(path: string): { hasPast: boolean; target: Target | null } {
  const [, projectId = '', rest = ''] = projectPath.exec(path) ?? [];
  const [, part = '', id] = rest.split('/');
  if (part === 'users' || part === 'teams') {
    return { hasPast: true, target: id === undefined ? null : { type: part === 'users' ? 'user' : 'team', id } };
  }
  if (part === 'emails' && id !== undefined) {
    const language = new URL(path, 'http://dashboard').searchParams.get('language');
    return { hasPast: true, target: { type: 'email_template', id: language === null ? id : `${id}.${language}` } };
  }
  if (part === 'settings') return { hasPast: true, target: id === 'keys' ? null : { type: 'project', id: projectId } };
  return { hasPast: part === 'permissions', target: null };
}
