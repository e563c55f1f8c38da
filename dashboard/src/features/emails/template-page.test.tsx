// @vitest-environment happy-dom
import type { EmailConfig, EmailContent, EmailsClient, EmailTemplate, Project } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { EmailsPage } from './emails-page.tsx';
import { editableTexts } from './texts.ts';

const content: EmailContent = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a'] } },
  a: { type: 'Text', data: { props: { text: 'Your code: {{ otp }}' } } },
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

/** A page with a client that stores templates as the API does: an empty subject keeps the old one. */
function show(config: EmailConfig = ownServer, isDefault = true, emails: Partial<EmailsClient> = {}) {
  let stored: EmailTemplate = { type: 'magic_link', subject: 'Your code', content, isDefault };
  const updateTemplate = vi.fn<EmailsClient['updateTemplate']>(async (_type, { subject, content: blocks }) => {
    stored = { ...stored, subject: subject || stored.subject, content: blocks, isDefault: false };
    return structuredClone(stored);
  });
  const resetTemplate = vi.fn(async () => {
    stored = { ...stored, isDefault: true };
  });
  const client: EmailsClient = {
    listTemplates: async () => [structuredClone(stored), { ...structuredClone(stored), type: 'password_reset' }],
    updateTemplate,
    resetTemplate,
    preview: async (_type, { subject }) => ({ subject, html: '<p>Rendered</p>', text: 'Rendered', variables: ['otp'] }),
    listSent: async () => [],
    listUndelivered: async () => [],
    retry: never,
    sendTest: never,
    ...emails,
  };
  const sample = sampleProject();
  const value: Project = { ...sample, config: { ...sample.config, emailConfig: config } };
  const project = { value, error: undefined, isFetching: false, refresh: vi.fn(async () => {}) };
  renderPage(<EmailsPage emails={client} audit={noAudit} projectId="p1" project={project} />);
  return { updateTemplate, resetTemplate };
}

const editor = () => within(screen.getByRole('region', { name: 'Templates' }));
const saveButton = () => editor().getByRole<HTMLButtonElement>('button', { name: 'Save' });
const type = (label: string, value: string) => fireEvent.change(editor().getByLabelText(label), { target: { value } });
const switchToJson = () => fireEvent.click(editor().getByRole('switch', { name: 'Edit as JSON' }));
const ready = () => screen.findByLabelText('Subject');

test('saving a template shows "Saved", also on repeated saves', async () => {
  const { updateTemplate } = show();
  await ready();
  for (const [nth, subject] of ['One', 'Two'].entries()) {
    type('Subject', subject);
    fireEvent.click(saveButton());
    await vi.waitFor(() => expect(updateTemplate).toHaveBeenCalledTimes(nth + 1));
    expect(await editor().findByText('Saved')).toBeTruthy();
    expect(saveButton().disabled).toBe(true);
    expect(editor().getByDisplayValue(subject)).toBeTruthy();
  }
});

test.each([
  ['null', 'null'],
  ['a block without data', '{"root":{"type":"EmailLayout","data":{"childrenIds":["a"]}},"a":{"type":"Text"}}'],
  ['a layout without data', '{"root":{"type":"EmailLayout"}}'],
  ['a block that is a number', '{"root":{"type":"EmailLayout","data":{"childrenIds":["a"]}},"a":1}'],
])('switching back from JSON that is no valid template keeps the page working: %s', async (_, json) => {
  show();
  await ready();
  switchToJson();
  type('Blocks', json);
  switchToJson();
  expect(await ready()).toBeTruthy();
});

test('unsaved changes survive switching to another template and back', async () => {
  show();
  await ready();
  type('Subject', 'Unsaved subject');
  fireEvent.change(editor().getByLabelText('Template'), { target: { value: 'password_reset' } });
  expect(editor().getByLabelText<HTMLInputElement>('Subject').value).toBe('Your code');
  expect(saveButton().disabled).toBe(true);
  fireEvent.change(editor().getByLabelText('Template'), { target: { value: 'magic_link' } });
  expect(editor().getByLabelText<HTMLInputElement>('Subject').value).toBe('Unsaved subject');
  expect(saveButton().disabled).toBe(false);
});

test('invalid JSON cannot be saved', async () => {
  const { updateTemplate } = show();
  await ready();
  type('Subject', 'Changed');
  switchToJson();
  type('Blocks', '{"root":');
  expect(saveButton().disabled).toBe(true);
  fireEvent.submit(saveButton());
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('an empty subject is rejected', async () => {
  const { updateTemplate } = show();
  await ready();
  type('Subject', '');
  fireEvent.click(saveButton());
  expect(await editor().findByText(/^Enter /)).toBeTruthy();
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('template blocks that contain themselves or each other are listed once', () => {
  const blocks: EmailContent = {
    root: { type: 'EmailLayout', data: { childrenIds: ['box', 'a', 'root'] } },
    box: { type: 'Container', data: { props: { childrenIds: ['a', 'box'] } } },
    a: { type: 'Text', data: { props: { text: 'Hello' } } },
  };
  expect(editableTexts(blocks).map(({ blockId }) => blockId)).toEqual(['a']);
});

test('a custom template stays in use with the shared SMTP server and can be reset', async () => {
  const { resetTemplate } = show({ type: 'shared' }, false);
  await ready();
  expect(editor().queryByText(/This is the default template/)).toBeNull();
  fireEvent.click(editor().getByRole('button', { name: 'Reset template' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reset this template?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset template' }));
  await vi.waitFor(() => expect(resetTemplate).toHaveBeenCalledOnce());
});

test('the preview shows the light and the dark variant regardless of the system setting', async () => {
  const html = '<html><head><style>@media (prefers-color-scheme: dark) { .ink { color: #fff } }</style></head></html>';
  show(ownServer, true, { preview: async () => ({ subject: 'Hello', html, text: 'Hello', variables: [] }) });
  const frame = await editor().findByTitle('Email preview');
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.getAttribute('srcdoc')).toContain('@media not all {');
  fireEvent.click(editor().getByRole('switch', { name: 'Dark' }));
  expect(editor().getByTitle('Email preview').getAttribute('srcdoc')).toContain('@media all {');
});
