// @vitest-environment happy-dom
import type { EmailContent, EmailsClient, EmailTemplate } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { TemplatePage } from './template-page.tsx';

const content: EmailContent = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a', 'b'] } },
  a: { type: 'Text', data: { props: { text: 'Your code: {{ otp }}' } } },
  b: { type: 'Button', data: { props: { text: 'Sign in', url: '{{ magicLink }}' } } },
};

/** A page with a client that stores templates as the API does. */
function show({ type = 'magic_link', isDefault = true, stored: given = content, ...emails }: Shown = {}) {
  let stored: EmailTemplate = { type: 'magic_link', subject: 'Your code', content: given, isDefault };
  const other: EmailTemplate = { type: 'password_reset', subject: 'Reset', content, isDefault: true };
  const updateTemplate = vi.fn<EmailsClient['updateTemplate']>(async (changed, template) => {
    if (changed !== 'magic_link') return { ...other, ...template };
    stored = { ...stored, ...template, isDefault: false };
    return structuredClone(stored);
  });
  const resetTemplate = vi.fn(async () => {
    stored = { ...stored, content, isDefault: true };
  });
  const testTemplate = vi.fn<EmailsClient['testTemplate']>(async () => ({ recipient: 'me@example.com', error: null }));
  const client: EmailsClient = {
    listTemplates: async () => [structuredClone(stored), structuredClone(other)],
    updateTemplate,
    resetTemplate,
    listTemplateTexts: never,
    getTemplateVersion: never,
    updateTemplateVersion: never,
    resetTemplateVersion: never,
    testTemplate,
    preview: async (_type, { subject }) => ({ subject, html: '<p>Rendered</p>', text: 'Rendered', variables: ['otp'] }),
    listSent: never,
    listUndelivered: never,
    retry: never,
    sendTest: never,
    ...emails,
  };
  renderPage(<TemplatePage emails={client} audit={noAudit} projectId="p1" projectName="Shop" type={type} />);
  return { updateTemplate, resetTemplate, testTemplate };
}
type Shown = Partial<EmailsClient> & { type?: string; isDefault?: boolean; stored?: EmailContent };

const ready = () => screen.findByLabelText<HTMLInputElement>('Subject');
const edit = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const bar = () => within(screen.getByRole('region', { name: 'Unsaved changes' }));
const save = () => fireEvent.click(bar().getByRole('button', { name: 'Save' }));
const switchToJson = () => fireEvent.click(screen.getByRole('switch', { name: 'Edit as JSON' }));
const order = () =>
  within(screen.getByRole('list', { name: 'Blocks' }))
    .getAllByRole('button', { expanded: false })
    .map(({ textContent }) => textContent);

test('a block is edited in its form and saved with the subject', async () => {
  const { updateTemplate } = show();
  await ready();
  edit('Subject', 'Hello');
  press(/^Text: /);
  edit('Text', 'Code {{ otp }}');
  expect(bar().getByText('1 block edited')).toBeTruthy();
  save();
  const changed = { ...content, a: { type: 'Text', data: { props: { text: 'Code {{ otp }}' } } } };
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledExactlyOnceWith('magic_link', { subject: 'Hello', content: changed }),
  );
  await vi.waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
  expect(screen.getByText('This template was customized.')).toBeTruthy();
});

test('blocks are added, moved by button and key, and removed, with the focus on them', async () => {
  show();
  await ready();
  press('Add block');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Divider' }));
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Divider'));
  expect(order()).toEqual(['Text: Your code: {{ otp }}', 'Button: Sign in']);
  press('Divider');
  expect(order()).toEqual(['Text: Your code: {{ otp }}', 'Button: Sign in', 'Divider']);
  press('Move up: Divider');
  expect(order()).toEqual(['Text: Your code: {{ otp }}', 'Divider', 'Button: Sign in']);
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move up: Divider');
  expect(screen.getByText('Divider moved to 2 of 3.')).toBeTruthy();
  fireEvent.keyDown(screen.getByRole('button', { name: 'Divider' }), { key: 'ArrowUp', altKey: true });
  expect(order()).toEqual(['Divider', 'Text: Your code: {{ otp }}', 'Button: Sign in']);
  expect(document.activeElement?.textContent).toBe('Divider');
  press('Remove: Divider');
  expect(order()).toEqual(['Text: Your code: {{ otp }}', 'Button: Sign in']);
  expect(document.activeElement?.textContent).toBe('Text: Your code: {{ otp }}');
  expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
});

test('a wrong color is not saved', async () => {
  const { updateTemplate } = show();
  await ready();
  edit('Email color', '#12');
  save();
  expect(await screen.findByText('Email color: Enter a color like #1a2b3c')).toBeTruthy();
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('the look is copied to the other templates, whose texts stay', async () => {
  const { updateTemplate } = show();
  await ready();
  edit('Logo URL', 'https://shop.example/logo.png');
  edit('Button color', '#aa0000');
  press('Use in all templates');
  fireEvent.click(await screen.findByRole('button', { name: 'Save in all templates' }));
  await vi.waitFor(() => expect(updateTemplate).toHaveBeenCalledOnce());
  const [type, template] = updateTemplate.mock.calls[0] ?? [];
  expect([type, template?.subject]).toEqual(['password_reset', 'Reset']);
  expect(template?.content.a).toEqual(content.a);
  expect(template?.content.b?.data.props).toMatchObject({ text: 'Sign in', buttonBackgroundColor: '#aa0000' });
  expect(Object.values(template?.content ?? {})).toContainEqual(
    expect.objectContaining({
      type: 'Image',
      data: expect.objectContaining({ props: expect.objectContaining({ url: 'https://shop.example/logo.png' }) }),
    }),
  );
});

test('a template that is no tree of blocks is edited in its source', async () => {
  const twice = { ...content, root: { type: 'EmailLayout', data: { childrenIds: ['a', 'a'] } } };
  const { updateTemplate } = show({ stored: twice });
  await ready();
  expect(screen.queryByRole('list', { name: 'Blocks' })).toBeNull();
  expect(screen.getByText(/can only be edited in its source/)).toBeTruthy();
  edit('Subject', 'Hello');
  save();
  await vi.waitFor(() =>
    expect(updateTemplate).toHaveBeenCalledExactlyOnceWith('magic_link', { subject: 'Hello', content: twice }),
  );
});

test.each([
  ['no JSON', '{"root":'],
  ['null', 'null'],
  ['a block without data', '{"root":{"type":"EmailLayout","data":{"childrenIds":["a"]}},"a":{"type":"Text"}}'],
  ['a block that is a number', '{"root":{"type":"EmailLayout","data":{"childrenIds":["a"]}},"a":1}'],
])('source that is no template is kept, and is not saved: %s', async (_, json) => {
  const { updateTemplate } = show();
  await ready();
  switchToJson();
  edit('Blocks', json);
  switchToJson();
  expect(screen.getByLabelText<HTMLTextAreaElement>('Blocks').value).toBe(json);
  save();
  expect((await screen.findAllByText(/^Enter valid JSON/)).length).toBeGreaterThan(0);
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('an empty subject is rejected', async () => {
  const { updateTemplate } = show();
  await ready();
  edit('Subject', '');
  save();
  expect(await screen.findByText(/^Enter a subject/)).toBeTruthy();
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('a custom template is reset after confirmation', async () => {
  const { resetTemplate } = show({ isDefault: false });
  await ready();
  press('Reset template');
  const dialog = await screen.findByRole('dialog', { name: 'Reset this template?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset template' }));
  await vi.waitFor(() => expect(resetTemplate).toHaveBeenCalledExactlyOnceWith('magic_link'));
  expect(await screen.findByText('This is the default template.')).toBeTruthy();
});

test('a test is sent as edited and says to whom, or why not', async () => {
  const { testTemplate } = show();
  await ready();
  edit('Subject', 'Try me');
  press('Send a test to me');
  expect(await screen.findByText('Sent to me@example.com.')).toBeTruthy();
  expect(testTemplate).toHaveBeenCalledExactlyOnceWith('magic_link', { subject: 'Try me', content });
  testTemplate.mockResolvedValueOnce({ recipient: 'me@example.com', error: 'The password is wrong.' });
  press('Send a test to me');
  expect((await screen.findByRole('alert')).textContent).toContain('The password is wrong.');
});

test('the preview shows the light and the dark variant regardless of the system setting, and devices', async () => {
  const html = '<html><head><style>@media (prefers-color-scheme: dark) { .ink { color: #fff } }</style></head></html>';
  show({ preview: async () => ({ subject: 'Hello', html, text: 'Plain hello', variables: [] }) });
  const frame = await screen.findByTitle('Email preview');
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.getAttribute('srcdoc')).toContain('@media not all {');
  fireEvent.click(screen.getByRole('switch', { name: 'Dark' }));
  expect(screen.getByTitle('Email preview').getAttribute('srcdoc')).toContain('@media all {');
  fireEvent.click(screen.getByRole('radio', { name: 'Phone' }));
  expect(screen.getByTitle('Email preview').style.width).toBe('375px');
  fireEvent.click(screen.getByRole('radio', { name: 'Plain text' }));
  expect(screen.getByText('Plain hello')).toBeTruthy();
});

test('an unknown template leads back to the emails', () => {
  show({ type: 'newsletter' });
  expect(screen.getByRole('heading', { name: 'Template not found' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Emails' })).toBeTruthy();
});
