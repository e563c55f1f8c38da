// @vitest-environment happy-dom
import type { EmailContent, EmailsClient, EmailTemplate } from '@gatebook/js/emails';
import type { EmailConfig, Project, ProjectClient } from '@gatebook/js/projects';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { EmailsPage } from './emails-page.tsx';
import { editableTexts } from './texts.ts';

const content: EmailContent = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a'] } },
  a: { type: 'Text', data: { props: { text: 'Your code: {{ otp }}' } } },
};
const own: EmailConfig = {
  ...{ type: 'standard', host: 'smtp.example.com', port: 587, username: 'u', password: 'p' },
  ...{ senderName: 'Shop', senderEmail: 'shop@example.com' },
};

/** A page over a client that keeps what it is given, as the API does: an empty subject leaves the old one. */
function show(config: EmailConfig = own, isDefault = true, emails: Partial<EmailsClient> = {}) {
  let kept: EmailTemplate = { type: 'magic_link', subject: 'Come in', content, isDefault };
  const updateTemplate = vi.fn<EmailsClient['updateTemplate']>(async (_type, { subject, content: blocks }) => {
    kept = { ...kept, subject: subject || kept.subject, content: blocks, isDefault: false };
    return structuredClone(kept);
  });
  const resetTemplate = vi.fn(async () => {
    kept = { ...kept, isDefault: true };
  });
  const client: EmailsClient = {
    listTemplates: async () => [structuredClone(kept), { ...structuredClone(kept), type: 'password_reset' }],
    ...{ updateTemplate, resetTemplate },
    preview: async (_type, { subject }) => ({ subject, html: '<p>Drawn</p>', text: 'Drawn', variables: ['otp'] }),
    listSent: async () => [],
    listUndelivered: async () => [],
    ...{ retry: never, sendTest: never },
    ...emails,
  };
  const sample = sampleProject();
  const value: Project = { ...sample, config: { ...sample.config, emailConfig: config } };
  const project = { value, error: undefined, isFetching: false, refresh: vi.fn(async () => {}) };
  const update = vi.fn(async () => sample);
  const projectClient = { update } as unknown as ProjectClient;
  renderPage(<EmailsPage emails={client} client={projectClient} projectId="p1" project={project} />);
  return { updateTemplate, resetTemplate, update };
}

const editor = () => within(screen.getByRole('region', { name: 'Templates' }));
const saveButton = () => editor().getByRole<HTMLButtonElement>('button', { name: 'Save' });
const type = (label: string, value: string) => fireEvent.change(editor().getByLabelText(label), { target: { value } });
const switchToJson = () => fireEvent.click(editor().getByRole('switch', { name: 'Edit all blocks as JSON' }));
const ready = () => screen.findByLabelText('Subject');

test('a saved draft is said to be saved, the first time and every other time', async () => {
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
])('JSON that makes no mail leaves the page standing: %s', async (_, json) => {
  show();
  await ready();
  switchToJson();
  type('Blocks', json);
  switchToJson();
  expect(await ready()).toBeTruthy();
});

test('a look at another kind of mail loses nothing of what was written', async () => {
  show();
  await ready();
  type('Subject', 'Half a thought');
  fireEvent.change(editor().getByLabelText('Template'), { target: { value: 'password_reset' } });
  expect(editor().getByLabelText<HTMLInputElement>('Subject').value).toBe('Come in');
  expect(saveButton().disabled).toBe(true);
  fireEvent.change(editor().getByLabelText('Template'), { target: { value: 'magic_link' } });
  expect(editor().getByLabelText<HTMLInputElement>('Subject').value).toBe('Half a thought');
  expect(saveButton().disabled).toBe(false);
});

test('JSON that is none is never saved as what it was before', async () => {
  const { updateTemplate } = show();
  await ready();
  type('Subject', 'Changed');
  switchToJson();
  type('Blocks', '{"root":');
  expect(saveButton().disabled).toBe(true);
  fireEvent.submit(saveButton());
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('a subject that was emptied does not stay empty while another is sent', async () => {
  const { updateTemplate } = show();
  await ready();
  type('Subject', '');
  fireEvent.click(saveButton());
  expect(await editor().findByText(/^Enter /)).toBeTruthy();
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('blocks that hold themselves or each other are shown once', () => {
  const blocks: EmailContent = {
    root: { type: 'EmailLayout', data: { childrenIds: ['box', 'a', 'root'] } },
    box: { type: 'Container', data: { props: { childrenIds: ['a', 'box'] } } },
    a: { type: 'Text', data: { props: { text: 'Hello' } } },
  };
  expect(editableTexts(blocks).map(({ blockId }) => blockId)).toEqual(['a']);
});

test('a wording of one’s own stays in use with Gatebook’s server, is said to, and can be given up', async () => {
  const { resetTemplate } = show({ type: 'shared' }, false);
  await ready();
  expect(editor().queryByText(/This is the default template/)).toBeNull();
  fireEvent.click(editor().getByRole('button', { name: 'Reset to default' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reset this template?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset to default' }));
  await vi.waitFor(() => expect(resetTemplate).toHaveBeenCalledOnce());
});

test('Enter in the field of the test mail sends the test and saves nothing', async () => {
  const sendTest = vi.fn(async () => null);
  const { update } = show(own, true, { sendTest });
  const recipient = await screen.findByLabelText('Send a test mail to');
  fireEvent.change(recipient, { target: { value: 'me@example.com' } });
  const wasHandled = !fireEvent.keyDown(recipient, { key: 'Enter' });
  expect(wasHandled).toBe(true);
  await vi.waitFor(() => expect(sendTest).toHaveBeenCalledOnce());
  expect(update).not.toHaveBeenCalled();
});

test('the preview shows a mail on light and on dark pages, whatever the system prefers', async () => {
  const html = '<html><head><style>@media (prefers-color-scheme: dark) { .ink { color: #fff } }</style></head></html>';
  show(own, true, { preview: async () => ({ subject: 'Drawn', html, text: 'Drawn', variables: [] }) });
  const frame = await editor().findByTitle('The mail');
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.getAttribute('srcdoc')).toContain('@media not all {');
  fireEvent.click(editor().getByRole('switch', { name: 'Dark' }));
  expect(editor().getByTitle('The mail').getAttribute('srcdoc')).toContain('@media all {');
});
