// @vitest-environment happy-dom
import type {
  EmailConfig,
  EmailsClient,
  EmailTemplate,
  Project,
  SentEmail,
  UndeliveredEmail,
} from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { EmailsPage } from './emails-page.tsx';

const content = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a', 'b'] } },
  a: { type: 'Text', data: { props: { text: 'Your code: {{ otp }}' } } },
  b: { type: 'Button', data: { props: { text: 'Sign in', url: '{{ magicLink }}' } } },
};
const template: EmailTemplate = { type: 'magic_link', subject: 'Your code', content, isDefault: true };
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

function show(emails: Partial<EmailsClient> = {}, config: EmailConfig = ownServer) {
  const client: EmailsClient = {
    listTemplates: async () => [template],
    updateTemplate: never,
    resetTemplate: never,
    preview: async (_type, { subject }) => ({ subject, html: '<p>Rendered</p>', text: 'Rendered', variables: ['otp'] }),
    listSent: async () => [sent],
    listUndelivered: async () => [],
    retry: never,
    sendTest: never,
    ...emails,
  };
  const sample = sampleProject();
  const value: Project = { ...sample, config: { ...sample.config, emailConfig: config } };
  const project = { value, error: undefined, isFetching: false, refresh: vi.fn(async () => {}) };
  renderPage(<EmailsPage emails={client} audit={noAudit} projectId="p1" project={project} />);
}
const card = (name: string) => within(screen.getByRole('region', { name }));

test('lists sent emails and hides the list of undelivered emails when it is empty', async () => {
  show();
  expect(await card('Sent emails').findByText('ann@example.com')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Undelivered emails' })).toBeNull();
});

test('an empty list of sent emails shows an empty state', async () => {
  show({ listSent: async () => [] });
  expect(await screen.findByText('No emails yet')).toBeTruthy();
});

test('a failed load of emails can be retried', async () => {
  const listSent = vi.fn(async () => Promise.reject(new Error('broken')));
  show({ listSent });
  expect((await screen.findByRole('alert')).textContent).toContain('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(listSent).toHaveBeenCalledTimes(2));
});

test('an undelivered email shows its error and can be resent', async () => {
  const retry = vi.fn(async () => {});
  show({ listUndelivered: async () => [undelivered], retry });
  expect(await screen.findByText('The server rejected it.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Resend email to bob@example.com' }));
  await vi.waitFor(() => expect(retry).toHaveBeenCalledExactlyOnceWith('2'));
});

test('template texts are edited next to a preview and saved together', async () => {
  const updateTemplate = vi.fn(async () => template);
  show({ updateTemplate });
  const editor = card('Templates');
  fireEvent.change(await editor.findByLabelText('Subject'), { target: { value: 'Hello' } });
  fireEvent.change(editor.getByLabelText('Text 1'), { target: { value: 'Code {{ otp }}' } });
  expect((editor.getByLabelText('Button 1 URL') as HTMLTextAreaElement).value).toBe('{{ magicLink }}');
  expect(await editor.findByTitle('Email preview')).toBeTruthy();
  expect(await editor.findByText('{{ otp }}')).toBeTruthy();
  fireEvent.click(editor.getByRole('button', { name: 'Save' }));
  const changed = { ...content, a: { type: 'Text', data: { props: { text: 'Code {{ otp }}' } } } };
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledWith('magic_link', { subject: 'Hello', content: changed }),
  );
});

test('a template edited as JSON can be saved once the JSON is valid', async () => {
  const updateTemplate = vi.fn(async () => template);
  show({ updateTemplate });
  const editor = card('Templates');
  fireEvent.click(await editor.findByRole('switch', { name: 'Edit as JSON' }));
  const blocks = editor.getByLabelText('Blocks');
  fireEvent.change(blocks, { target: { value: '{' } });
  expect(await editor.findByText('Enter valid JSON')).toBeTruthy();
  fireEvent.change(blocks, { target: { value: '{"root":{"type":"EmailLayout","data":{}}}' } });
  fireEvent.click(editor.getByRole('button', { name: 'Save' }));
  const root = { type: 'EmailLayout', data: {} };
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledWith('magic_link', { subject: 'Your code', content: { root } }),
  );
});

test('a custom template is reset after confirmation', async () => {
  const resetTemplate = vi.fn(async () => {});
  show({ listTemplates: async () => [{ ...template, isDefault: false }], resetTemplate });
  fireEvent.click(await screen.findByRole('button', { name: 'Reset template' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reset this template?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset template' }));
  await vi.waitFor(() => expect(resetTemplate).toHaveBeenCalledExactlyOnceWith('magic_link'));
});

test('templates are read-only with the shared SMTP server', async () => {
  show({}, { type: 'shared' });
  const subject = (await card('Templates').findByLabelText('Subject')) as HTMLInputElement;
  expect(subject.readOnly).toBe(true);
  expect(card('Templates').queryByRole('button', { name: 'Save' })).toBeNull();
});
