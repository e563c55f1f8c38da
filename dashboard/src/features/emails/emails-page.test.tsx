// @vitest-environment happy-dom
import type { EmailsClient, EmailTemplate, SentEmail, UndeliveredEmail } from '@gatebook/js/emails';
import type { EmailConfig, Project, ProjectClient } from '@gatebook/js/projects';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { EmailsPage } from './emails-page.tsx';

const content = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a', 'b'] } },
  a: { type: 'Text', data: { props: { text: 'Your code: {{ otp }}' } } },
  b: { type: 'Button', data: { props: { text: 'Sign in', url: '{{ magicLink }}' } } },
};
const template: EmailTemplate = { type: 'magic_link', subject: 'Come in', content, isDefault: true };
const error = { errorType: 'REJECTED', message: 'The server said no.', canRetry: false };
const sent: SentEmail = { id: '1', to: ['ann@example.com'], subject: 'Come in', sentAt: new Date(), error: null };
const dead: UndeliveredEmail = {
  ...{ id: '2', type: 'magic_link', to: ['bob@example.com'], subject: 'Lost', error },
  ...{ requestedAt: new Date(), expiresAt: new Date(Date.now() + 86_400_000) },
};
const own: EmailConfig = {
  ...{ type: 'standard', host: 'smtp.example.com', port: 587, username: 'u', password: 'p' },
  ...{ senderName: 'Shop', senderEmail: 'shop@example.com' },
};

function show(
  emails: Partial<EmailsClient> = {},
  config: EmailConfig = own,
  update = vi.fn(async () => sampleProject()),
) {
  const whole: EmailsClient = {
    listTemplates: async () => [template],
    updateTemplate: never,
    resetTemplate: never,
    preview: async (_type, { subject }) => ({ subject, html: '<p>Drawn</p>', text: 'Drawn', variables: ['otp'] }),
    listSent: async () => [sent],
    listUndelivered: async () => [],
    retry: never,
    sendTest: never,
    ...emails,
  };
  const sample = sampleProject();
  const value: Project = { ...sample, config: { ...sample.config, emailConfig: config } };
  const project = { value, error: undefined, isFetching: false, refresh: vi.fn(async () => {}) };
  const client = { update } as unknown as ProjectClient;
  return { update, ...renderPage(<EmailsPage emails={whole} client={client} projectId="p1" project={project} />) };
}
const card = (name: string) => within(screen.getByRole('region', { name }));

test('lists what was sent, and says when there is nothing', async () => {
  show();
  expect(await card('Sent').findByText('ann@example.com')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Not delivered' })).toBeNull();
});

test('an empty list says what it is for', async () => {
  show({ listSent: async () => [] });
  expect(await screen.findByText('No mail yet')).toBeTruthy();
});

test('what could not be loaded can be tried again', async () => {
  const listSent = vi.fn(async () => Promise.reject(new Error('broken')));
  show({ listSent });
  expect((await screen.findByRole('alert')).textContent).toContain('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(listSent).toHaveBeenCalledTimes(2));
});

test('a mail that was given up says why and is sent again', async () => {
  const retry = vi.fn(async () => {});
  show({ listUndelivered: async () => [dead], retry });
  expect(await screen.findByText('The server said no.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Send again to bob@example.com' }));
  await vi.waitFor(() => expect(retry).toHaveBeenCalledExactlyOnceWith('2'));
});

test('texts are edited one by one beside their preview, and saved together', async () => {
  const updateTemplate = vi.fn(async () => template);
  show({ updateTemplate });
  const editor = card('Templates');
  fireEvent.change(await editor.findByLabelText('Subject'), { target: { value: 'Hello' } });
  fireEvent.change(editor.getByLabelText('Text 1'), { target: { value: 'Code {{ otp }}' } });
  expect((editor.getByLabelText('Button 1, link') as HTMLTextAreaElement).value).toBe('{{ magicLink }}');
  expect(await editor.findByTitle('The mail')).toBeTruthy();
  expect(await editor.findByText('{{ otp }}')).toBeTruthy();
  fireEvent.click(editor.getByRole('button', { name: 'Save' }));
  const changed = { ...content, a: { type: 'Text', data: { props: { text: 'Code {{ otp }}' } } } };
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledWith('magic_link', { subject: 'Hello', content: changed }),
  );
});

test('blocks as JSON are taken once they are JSON', async () => {
  const updateTemplate = vi.fn(async () => template);
  show({ updateTemplate });
  const editor = card('Templates');
  fireEvent.click(await editor.findByRole('switch', { name: 'Edit all blocks as JSON' }));
  const blocks = editor.getByLabelText('Blocks');
  fireEvent.change(blocks, { target: { value: '{' } });
  expect(await editor.findByText('This is no JSON yet')).toBeTruthy();
  fireEvent.change(blocks, { target: { value: '{"root":{"type":"EmailLayout","data":{}}}' } });
  fireEvent.click(editor.getByRole('button', { name: 'Save' }));
  const root = { type: 'EmailLayout', data: {} };
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledWith('magic_link', { subject: 'Come in', content: { root } }),
  );
});

test('a wording of one’s own can be given up, after a question', async () => {
  const resetTemplate = vi.fn(async () => {});
  show({ listTemplates: async () => [{ ...template, isDefault: false }], resetTemplate });
  fireEvent.click(await screen.findByRole('button', { name: 'Reset to default' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reset this template?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset to default' }));
  await vi.waitFor(() => expect(resetTemplate).toHaveBeenCalledExactlyOnceWith('magic_link'));
});

test('with Gatebook’s server the draft is shown and not changed', async () => {
  show({}, { type: 'shared' });
  const subject = (await card('Templates').findByLabelText('Subject')) as HTMLInputElement;
  expect(subject.readOnly).toBe(true);
  expect(card('Templates').queryByRole('button', { name: 'Save' })).toBeNull();
});

test('a server of one’s own is checked, tried and saved', async () => {
  const sendTest = vi.fn(async () => 'The mail server rejected the user name or password.');
  const { update } = show({ sendTest }, { type: 'shared' });
  const server = card('Mail server');
  fireEvent.change(server.getByLabelText('Mails leave through'), { target: { value: 'standard' } });
  fireEvent.click(server.getByRole('button', { name: 'Save' }));
  expect(await server.findByText('Enter the server’s host name')).toBeTruthy();
  const { type: _, port, ...texts } = own as Extract<EmailConfig, { type: 'standard' }>;
  const labels = {
    host: 'Host',
    username: 'User name',
    password: 'Password',
    senderName: 'Sender’s name',
    senderEmail: 'Sender’s address',
  };
  for (const [name, label] of Object.entries(labels)) {
    fireEvent.change(server.getByLabelText(label), { target: { value: texts[name as keyof typeof texts] } });
  }
  fireEvent.change(server.getByLabelText('Send a test mail to'), { target: { value: 'me@example.com' } });
  fireEvent.click(server.getByRole('button', { name: 'Send test' }));
  expect(await server.findByText('The mail server rejected the user name or password.')).toBeTruthy();
  expect(sendTest).toHaveBeenCalledWith('me@example.com', { ...texts, port });
  fireEvent.click(server.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ config: { emailConfig: own } }));
});
