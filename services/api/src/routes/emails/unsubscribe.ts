import { unsubscribe } from '@gatebook/commands/email/notification-preferences';
import { Success } from '@gatebook/contract/common';
import { UnsubscribeForm, UnsubscribeQuery } from '@gatebook/contract/notifications';
import { EmptyBody } from '@gatebook/contract/oauth';
import { requestContext } from '../../context.ts';
import { answerSuccess, defineRoute, Redirect } from '../../http/define-route.ts';

const tags = ['Emails'];
const path = '/emails/unsubscribe';

/** Mail scanners open links too, so opening the link only shows a page with a button. */
export const showUnsubscribePageRoute = defineRoute({
  method: 'GET',
  path,
  access: 'anyone',
  tags,
  summary: 'Open the unsubscribe page',
  description: 'Redirects to the page that asks for confirmation. Changes nothing.',
  query: UnsubscribeQuery,
  response: { 303: EmptyBody },
  handle: async ({ deps, query }) => {
    const page = `${deps.config.http.publicUrl}/handler/unsubscribe`;
    return new Redirect(303, `${page}?${new URLSearchParams({ code: query.code })}`, { body: {} });
  },
});

/** One-click unsubscribe (RFC 8058): mail clients send a form, the page sends JSON. */
export const unsubscribeRoute = defineRoute({
  method: 'POST',
  path,
  access: 'anyone',
  limit: 'code',
  errors: ['VERIFICATION_CODE_NOT_FOUND'],
  tags,
  summary: 'Unsubscribe from marketing emails',
  description:
    'Takes the code of an unsubscribe link and turns off the marketing emails of its user. Needs no sign-in. The code stays valid.',
  consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  query: UnsubscribeQuery,
  body: UnsubscribeForm,
  response: { 200: Success },
  handle: async ({ deps, request, query }) => {
    const by = { ...requestContext(request), actor: { kind: 'client', id: null } } as const;
    const { position } = await unsubscribe(deps, by, { code: query.code });
    return answerSuccess(position);
  },
});
