import { templateIds } from '@gatebook/contract/template-ids';
import { expect, test } from 'vitest';
import { createProject, expectKnown, expectPlain, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const nothing = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const call = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'admin', ...(body === undefined ? {} : { body }) });
const tsx = 'export function EmailTemplate() {}';

test('email templates are listed by the IDs of the client libraries', async () => {
  expect((await call('GET', '/internal/email-templates')).body).toEqual({
    templates: [
      { id: templateIds.email_verification, display_name: 'Email Verification', tsx_source: '' },
      { id: templateIds.password_reset, display_name: 'Password Reset', tsx_source: '' },
      { id: templateIds.magic_link, display_name: 'Magic Link/OTP', tsx_source: '' },
      { id: templateIds.team_invitation, display_name: 'Team Invitation', tsx_source: '' },
    ],
  });
});

test('email templates take no TSX source, and none can be added or deleted', async () => {
  const path = `/internal/email-templates/${templateIds.magic_link}`;
  const error = expect.stringContaining('does not render TSX');
  expectKnown(await call('PATCH', path, { tsx_source: tsx, theme_id: null }), 400, 'EMAIL_RENDERING_ERROR', { error });
  expectPlain(await call('DELETE', path, {}), 400);
  expectPlain(await call('POST', '/internal/email-templates', { display_name: 'Newsletter' }), 400);
  expectPlain(await call('PATCH', `/internal/email-templates/${nothing}`, { tsx_source: tsx }), 404);
  expectPlain(await call('DELETE', `/internal/email-templates/${nothing}`, {}), 404);
});

test('there are no email themes and no drafts', async () => {
  expect((await call('GET', '/internal/email-themes')).body).toEqual({ themes: [] });
  expect((await call('GET', '/internal/email-drafts')).body).toEqual({ drafts: [] });
  expectPlain(await call('POST', '/internal/email-themes', { display_name: 'Dark' }), 400);
  expectPlain(await call('POST', '/internal/email-drafts', { display_name: 'News', theme_id: false }), 400);
  expectPlain(await call('GET', `/internal/email-themes/${nothing}`), 404);
  expectPlain(await call('PATCH', `/internal/email-themes/${nothing}`, { tsx_source: tsx }), 404);
  expectPlain(await call('DELETE', `/internal/email-themes/${nothing}`, {}), 404);
  expectPlain(await call('PATCH', `/internal/email-drafts/${nothing}`, { sent_at_millis: null }), 404);
  expectPlain(await call('DELETE', `/internal/email-drafts/${nothing}`, {}), 404);
});

test('a template is rendered by its ID', async () => {
  const path = '/emails/render-email';
  const { status, body } = await call('POST', path, { template_id: templateIds.magic_link, theme_id: null });
  expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['html'] });
  expect(body.html).toContain('A1B2C3');
  expectKnown(await call('POST', path, { template_tsx_source: tsx }), 400, 'EMAIL_RENDERING_ERROR', {
    error: expect.any(String),
  });
  expectPlain(await call('POST', path, { template_id: nothing }), 404);
  expectPlain(await call('POST', path, { template_id: templateIds.magic_link, theme_id: nothing }), 404);
  expectSchemaError(await call('POST', path, {}), 'must have either template_id or template_tsx_source');
});
