import { maxListed } from '@gatebook/readmodel/list-limits';
import { type KeyForms, keyForms, type Listed, type Page } from '@gatebook/readmodel/list-pages';
import type { FastifyRequest } from 'fastify';
import { rejectRequest } from './validation.ts';

type PageQuery = { limit?: number | undefined; cursor?: string | undefined };

/**
 * The page that a query asks for (protocol, conventions §7). `forms`: of the texts in a cursor of the list.
 * @throws DomainError SCHEMA_ERROR for a text that is not a cursor of the list
 */
export function pageOf(request: FastifyRequest, { limit = maxListed, cursor }: PageQuery, forms: KeyForms): Page {
  const from = cursor === undefined ? null : decode(cursor);
  const isKey = from === null || (from.length === forms.length && forms.every((form, nth) => fits(form, from[nth])));
  if (!isKey) rejectRequest(request, ['query.cursor: must be the next_cursor of a page of this list']);
  return { from, limit: Math.min(limit, maxListed) };
}

const fits = (form: KeyForms[number], text: string | undefined) => text !== undefined && keyForms[form].test(text);
const encode = (key: readonly string[]) => Buffer.from(key.join(' ')).toString('base64url');
const decode = (cursor: string) => Buffer.from(cursor, 'base64url').toString('latin1').split(' ');

type PagedList<Item> = { items: Item[]; is_paginated: boolean; pagination?: { next_cursor: string | null } };

/** Old clients, which know no pages, get the same response as ever unless the list is too long for it. */
export function toPagedList<Row, Item>(
  { limit, cursor }: PageQuery,
  { rows, next }: Listed<Row>,
  toItem: (row: Row) => Item,
): PagedList<Item> {
  const items = rows.map(toItem);
  const isWhole = limit === undefined && cursor === undefined && next === null;
  if (isWhole) return { items, is_paginated: false };
  return { items, is_paginated: true, pagination: { next_cursor: next && encode(next) } };
}
