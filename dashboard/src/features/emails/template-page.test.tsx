// @vitest-environment happy-dom
import {
  type EmailContent,
  type EmailLanguage,
  type EmailsClient,
  type EmailTemplate,
  type EmailTemplateInput,
  type EmailType,
  emailLanguages,
  type TemplateText,
} from '@gatebook/js/admin';
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

const german: EmailTemplateInput = { subject: 'Ihr Code', content };

/** A page with a client that stores templates as the API does. `edited`: versions in a language. */
function show({
  type = 'magic_link',
  isDefault = true,
  stored: given = content,
  language = null,
  ...rest
}: Shown = {}) {
  const { edited: initial = {}, ...emails } = rest;
  let stored: EmailTemplate = { type: 'magic_link', subject: 'Your code', content: given, isDefault };
  let edited = { ...initial };
  const other: EmailTemplate = { type: 'password_reset', subject: 'Reset', content, isDefault: true };
  const updateTemplate = vi.fn<EmailsClient['updateTemplate']>(async (changed, template) => {
    if (changed !== 'magic_link') return { ...other, ...template };
    stored = { ...stored, ...template, isDefault: false };
    return structuredClone(stored);
  });
  const resetTemplate = vi.fn(async () => {
    stored = { ...stored, content, isDefault: true };
  });
  const textOf = (of: EmailType, language: EmailLanguage): TemplateText => {
    const isEdited = of === 'magic_link' && edited[language] !== undefined;
    const isReplaced = of === 'magic_link' && !stored.isDefault;
    return { type: of, language, source: isEdited ? 'version' : isReplaced ? 'default_version' : 'built_in' };
  };
  const getTemplateVersion: EmailsClient['getTemplateVersion'] = async (of, language) => {
    const text = textOf(of, language);
    const used = { version: edited[language] ?? german, default_version: stored, built_in: german }[text.source];
    return structuredClone({ ...text, subject: used.subject, content: used.content, builtIn: german });
  };
  const updateTemplateVersion = vi.fn<EmailsClient['updateTemplateVersion']>(async (of, language, template) => {
    edited = { ...edited, [language]: template };
    return getTemplateVersion(of, language);
  });
  const resetTemplateVersion = vi.fn<EmailsClient['resetTemplateVersion']>(async (_type, language) => {
    edited = { ...edited, [language]: undefined };
  });
  const testTemplate = vi.fn<EmailsClient['testTemplate']>(async () => ({ recipient: 'me@example.com', error: null }));
  const preview = vi.fn<EmailsClient['preview']>(async (_type, { subject }) => {
    return { subject, html: '<p>Rendered</p>', text: 'Rendered', variables: ['otp'] };
  });
  const client: EmailsClient = {
    listTemplates: async () => [structuredClone(stored), structuredClone(other)],
    updateTemplate,
    resetTemplate,
    listTemplateTexts: async () =>
      [stored.type, other.type].flatMap((of) => emailLanguages.map((each) => textOf(of, each))),
    getTemplateVersion,
    updateTemplateVersion,
    resetTemplateVersion,
    testTemplate,
    preview,
    listSent: never,
    listUndelivered: never,
    retry: never,
    sendTest: never,
    ...emails,
  };
  const props = { emails: client, audit: noAudit, projectId: 'p1', projectName: 'Shop' };
  const { visited } = renderPage(<TemplatePage {...props} type={type} language={language} />);
  return { updateTemplate, resetTemplate, updateTemplateVersion, resetTemplateVersion, testTemplate, preview, visited };
}
type Shown = Partial<EmailsClient> & {
  type?: string;
  isDefault?: boolean;
  stored?: EmailContent;
  language?: EmailLanguage | null;
  edited?: Partial<Record<EmailLanguage, EmailTemplateInput>>;
};

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
  expect(screen.getByText(/^This template was customized\./)).toBeTruthy();
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
  fireEvent.click(
    await screen.findByRole('checkbox', { name: /not edited: Password reset\. .* replace the built-in/ }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save in all templates' }));
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

test('a template that is not a tree of blocks is edited as source', async () => {
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
])('source that is not a template is kept, and is not saved: %s', async (_, json) => {
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
  expect(await screen.findByText(/^This is the default template\./)).toBeTruthy();
});

test('a test is sent as edited and says to whom, or why not', async () => {
  const { testTemplate } = show();
  await ready();
  edit('Subject', 'Try me');
  press('Send a test to me');
  expect(await screen.findByText('Sent to me@example.com.')).toBeTruthy();
  expect(testTemplate).toHaveBeenCalledExactlyOnceWith('magic_link', { subject: 'Try me', content }, null);
  testTemplate.mockResolvedValueOnce({ recipient: 'me@example.com', error: 'The password is wrong.' });
  press('Send a test to me');
  expect((await screen.findByRole('alert')).textContent).toContain('The password is wrong.');
});

test('the look is copied to edited versions alone, unless the owner says otherwise', async () => {
  const { updateTemplate, updateTemplateVersion } = show({ edited: { 'de-DE': german } });
  await ready();
  edit('Button color', '#aa0000');
  press('Use in all templates');
  expect(await screen.findByText(/saved at once in Sign-in code in German\./)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Save in all templates' }));
  await vi.waitFor(() => expect(updateTemplateVersion).toHaveBeenCalledOnce());
  const [type, language, template] = updateTemplateVersion.mock.calls[0] ?? [];
  expect([type, language, template?.subject]).toEqual(['magic_link', 'de-DE', 'Ihr Code']);
  expect(template?.content.b?.data.props).toMatchObject({ buttonBackgroundColor: '#aa0000' });
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('the default version says which built-in texts it replaces, and who gets it', async () => {
  show({ edited: { 'de-DE': german } });
  await ready();
  expect(
    screen.getByText(/replaces the built-in texts in English, Spanish, .* and Chinese \(traditional\)\./),
  ).toBeTruthy();
  expect(screen.queryByText(/replaces the built-in texts in .*German/)).toBeNull();
  edit('Subject', 'Hello');
  save();
  const lead = 'This template was customized. Readers of German get their own version, and all others this version.';
  expect(await screen.findByText(lead)).toBeTruthy();
  expect(screen.queryByText(/replaces the built-in texts/)).toBeNull();
});

test('the version is chosen beside the name, which says what is edited', async () => {
  const { visited } = show({ isDefault: false, edited: { 'de-DE': german } });
  await ready();
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Version' });
  const labels = [...select.options].map(({ text }) => text);
  expect(labels).toHaveLength(13);
  expect(labels.filter((label) => label.endsWith('(edited)'))).toEqual(['Default version (edited)', 'German (edited)']);
  fireEvent.change(select, { target: { value: 'fr-FR' } });
  expect(visited).toEqual(['/projects/p1/emails/magic_link?language=fr-FR']);
});

test('a version in a language starts with what its readers get, and is saved, previewed and tested alone', async () => {
  const { updateTemplate, updateTemplateVersion, testTemplate, preview } = show({ language: 'de-DE' });
  expect((await ready()).value).toBe('Ihr Code');
  expect(screen.getByText(/^Not edited in German\. .* built-in text/)).toBeTruthy();
  edit('Subject', 'Anmelden');
  const changed = { subject: 'Anmelden', content };
  press('Send a test to me');
  await vi.waitFor(() => expect(testTemplate).toHaveBeenCalledExactlyOnceWith('magic_link', changed, 'de-DE'));
  await vi.waitFor(() => expect(preview).toHaveBeenLastCalledWith('magic_link', changed, 'de-DE'));
  save();
  await vi.waitFor(() => expect(updateTemplateVersion).toHaveBeenCalledExactlyOnceWith('magic_link', 'de-DE', changed));
  expect(await screen.findByText('This version was customized. Readers of German get it.')).toBeTruthy();
  expect(updateTemplate).not.toHaveBeenCalled();
});

test('the default version and the built-in text can be copied into a version', async () => {
  show({ language: 'de-DE', isDefault: false });
  expect((await ready()).value).toBe('Your code');
  expect(screen.getByText('Not edited in German. Readers of German get the default version.')).toBeTruthy();
  press('Copy built-in text');
  expect((await ready()).value).toBe('Ihr Code');
  press('Copy default version');
  expect((await ready()).value).toBe('Your code');
});

test('one language is reset after confirmation', async () => {
  const { resetTemplate, resetTemplateVersion } = show({ language: 'de-DE', edited: { 'de-DE': german } });
  await ready();
  press('Reset German');
  const dialog = await screen.findByRole('dialog', { name: 'Reset the version in German?' });
  expect(within(dialog).getByText(/Readers of German get the built-in text in their language/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reset German' }));
  await vi.waitFor(() => expect(resetTemplateVersion).toHaveBeenCalledExactlyOnceWith('magic_link', 'de-DE'));
  expect(await screen.findByText(/^Not edited in German\./)).toBeTruthy();
  expect(resetTemplate).not.toHaveBeenCalled();
});

test('the preview shows the light and the dark variant regardless of the system setting, and devices', async () => {
  const html =
    '<html><head><style>@media (prefers-color-scheme: dark) { .ink { color: #fff } }</style></head><picture><source srcSet="https://example.com/dark.png" media="(prefers-color-scheme: dark)"/></picture></html>';
  show({ preview: async () => ({ subject: 'Hello', html, text: 'Plain hello', variables: [] }) });
  const frame = await screen.findByTitle('Email preview');
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.getAttribute('srcdoc')).toContain('@media not all {');
  expect(frame.getAttribute('srcdoc')).toContain('media="not all"/>');
  fireEvent.click(screen.getByRole('switch', { name: 'Dark' }));
  expect(screen.getByTitle('Email preview').getAttribute('srcdoc')).toContain('@media all {');
  expect(screen.getByTitle('Email preview').getAttribute('srcdoc')).toContain('media="all"/>');
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
