// @vitest-environment happy-dom
import type {
  EmailConfig,
  EmailsClient,
  EmailTemplate,
  PageQuery,
  Project,
  SentEmail,
  UndeliveredEmail,
} from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { EmailsPage } from './emails-page.tsx';

const template: EmailTemplate = { type: 'magic_link', subject: 'Your code', content: {}, isDefault: true };
const error = { errorType: 'REJECTED', message: 'The server rejected it.', canRetry: false };
const sent: SentEmail = { id: '1', to: ['ann@example.com'], subject: 'Your code', sentAt: new Date(), error: null };
const undelivered: UndeliveredEmail = {
  id: '2',
  type: 'magic_link',
  to: ['bob@example.com'],
  subject: 'Lost',
  error,
  requestedAt: new Date(),
  expiresAt: new Date(Date.now() + 86_400_000),
};
const ownServer: EmailConfig = {
  type: 'standard',
  host: 'smtp.example.com',
  port: 587,
  username: 'u',
  password: 'p',
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};

const onePage = <Item,>(items: readonly Item[]) => ({ items, nextCursor: null });

function show(emails: Partial<EmailsClient> = {}, config: EmailConfig = ownServer) {
  const client: EmailsClient = {
    listTemplates: async () => [template],
    listTemplateTexts: async () => [{ type: 'magic_link', language: 'de-DE', source: 'built_in' }],
    getTemplateVersion: never,
    updateTemplateVersion: never,
    resetTemplateVersion: never,
    updateTemplate: never,
    resetTemplate: never,
    testTemplate: never,
    preview: async (_type, { subject }) => ({ subject, html: '<p>Rendered</p>', text: 'Rendered', variables: ['otp'] }),
    listSent: async () => onePage([sent]),
    listUndelivered: async () => onePage([]),
    retry: never,
    sendTest: never,
    ...emails,
  };
  const sample = sampleProject();
  const value: Project = { ...sample, config: { ...sample.config, emailConfig: config } };
  const project = { value, error: undefined, isFetching: false, refresh: vi.fn(async () => {}) };
  renderPage(<EmailsPage emails={client} projectId="p1" project={project} />);
}
const card = (name: string) => within(screen.getByRole('region', { name }));

test('lists sent emails and hides the list of undelivered emails when it is empty', async () => {
  show();
  expect(await card('Sent emails').findByText('ann@example.com')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Undelivered emails' })).toBeNull();
});

test('an empty list of sent emails shows an empty state', async () => {
  show({ listSent: async () => onePage([]) });
  expect(await screen.findByText('No emails yet')).toBeTruthy();
});

test('older emails are on further pages', async () => {
  const listSent = vi.fn(async ({ cursor = null }: PageQuery) =>
    cursor === null ? { items: [sent], nextCursor: 'older' } : onePage([{ ...sent, id: '9', to: ['old@example.com'] }]),
  );
  show({ listSent });
  await card('Sent emails').findByText('ann@example.com');
  fireEvent.click(card('Sent emails').getByRole('button', { name: 'Next' }));
  expect(await card('Sent emails').findByText('old@example.com')).toBeTruthy();
  fireEvent.click(card('Sent emails').getByRole('button', { name: 'Previous' }));
  expect(await card('Sent emails').findByText('ann@example.com')).toBeTruthy();
});

test('a failed load of emails and templates shows one error, and can be retried', async () => {
  const listSent = vi.fn(async () => Promise.reject(new Error('broken')));
  const listTemplates = vi.fn(async () => Promise.reject(new Error('broken')));
  show({ listSent, listTemplates });
  expect((await screen.findByRole('alert')).textContent).toContain('broken');
  await vi.waitFor(() => expect(screen.queryByRole('status', { name: /^Loading/ })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect([listSent, listTemplates].map(({ mock }) => mock.calls.length)).toEqual([2, 2]));
});

test('an undelivered email shows its error and can be resent', async () => {
  const retry = vi.fn(async () => {});
  show({ listUndelivered: async () => onePage([undelivered]), retry });
  expect(await screen.findByText('The server rejected it.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Resend email to bob@example.com' }));
  await vi.waitFor(() => expect(retry).toHaveBeenCalledExactlyOnceWith('2'));
});

test('each template leads to its editor and says whether it was customized', async () => {
  show({ listTemplates: async () => [template, { ...template, type: 'password_reset', isDefault: false }] });
  const link = await card('Templates').findByRole('link', { name: 'Sign-in code' });
  expect(link.getAttribute('href')).toBe('/projects/p1/emails/magic_link');
  expect(
    card('Templates')
      .getAllByText(/^(Default|Customized)$/)
      .map(({ textContent }) => textContent),
  ).toEqual(['Default', 'Customized']);
});

test('a template says in which languages it was edited', async () => {
  show({ listTemplateTexts: async () => [{ type: 'magic_link', language: 'de-DE', source: 'version' }] });
  expect(await card('Templates').findByText('Edited in German')).toBeTruthy();
});
