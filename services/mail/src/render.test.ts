import { EmailType } from '@gatebook/domain/email/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrast } from './colors.ts';
import type { EmailContent } from './content.ts';
import { listContentErrors } from './content.ts';
import { defaultTemplate } from './defaults.ts';
import { renderEmail } from './render.ts';
import { sampleVariables, variableNames } from './variables.ts';

const code = 'abc123'.padEnd(45, 'x');
const link = `http://localhost:3000/handler/page?after_auth_return_to=%2Fa&code=${code}`;
const render = (content: EmailContent, variables: Record<string, string> = {}, subject = 'Hello') =>
  renderEmail({ template: { subject, content }, variables, known: variableNames.magic_link });
const page = (...blocks: EmailContent[string][]): EmailContent => ({
  root: { type: 'EmailLayout', data: { childrenIds: blocks.map((_, nth) => String(nth)) } },
  ...Object.fromEntries(blocks.map((block, nth) => [String(nth), block])),
});
const text = (written: string): EmailContent[string] => ({ type: 'Text', data: { props: { text: written } } });

describe('the default templates', () => {
  test.each(EmailType.options)('render without leftover variables and with their link: %s', async (type) => {
    const template = defaultTemplate(type);
    expect(listContentErrors(template.content)).toEqual([]);
    const variables = sampleVariables(type);
    const { subject, html, text: plain } = await renderEmail({ template, variables, known: variableNames[type] });
    expect(html).toContain('<!DOCTYPE html');
    expect(`${subject}${html}${plain}`).not.toContain('{{');
    const url = Object.values(variables).find((value) => value.startsWith('https:'));
    // The API key notice has no link, so that it cannot serve as a model for phishing.
    if (url === undefined) return expect(html).not.toContain('href');
    expect(html).toContain(`href="${url}"`);
    expect(plain.split('\n')).toContain(url);
  });

  test('put the sign-in code and link on their own lines, and the code in the subject', async () => {
    const variables = { projectDisplayName: 'Shop', magicLink: link, otp: 'ABC123' };
    const known = variableNames.magic_link;
    const { subject, text: plain } = await renderEmail({ template: defaultTemplate('magic_link'), variables, known });
    expect(subject).toBe('ABC123 is your sign-in code for Shop');
    expect(plain.split('\n')).toEqual(expect.arrayContaining([link, 'ABC123']));
  });

  test('greet users by name if they have one', async () => {
    const template = defaultTemplate('password_reset');
    const render = (variables: Record<string, string>) =>
      renderEmail({ template, variables, known: variableNames.password_reset });
    expect((await render({ projectDisplayName: 'Shop', userDisplayName: 'Ann' })).text).toContain('Hi Ann,');
    expect((await render({ projectDisplayName: 'Shop' })).text).toContain('Hi,');
  });
});

describe('a security notice', () => {
  const notice = (variables: Record<string, string>) =>
    renderEmail({
      template: defaultTemplate('security_notice'),
      variables: { projectDisplayName: 'Shop', happenedAt: 'March 2', reportLink: link, ...variables },
      known: variableNames.security_notice,
    });

  test.each([
    [{ passwordChanged: 'yes' }, 'Your password for Shop was changed', 'Your password was changed.'],
    [{ passwordRemoved: 'yes' }, 'Your password for Shop was removed', 'Your password was removed.'],
    [{ secondFactorOn: 'yes' }, 'Two-factor authentication was turned on for Shop', 'was turned on.'],
    [{ secondFactorOff: 'yes' }, 'Two-factor authentication was turned off for Shop', 'was turned off.'],
    [{ passkeyAdded: 'yes' }, 'A passkey was added to your Shop account', 'A passkey was added.'],
    [{ passkeyRemoved: 'yes' }, 'The sign-in methods of your Shop account changed', 'A passkey was removed.'],
    [
      { linkedProvider: 'GitHub' },
      'The sign-in methods of your Shop account changed',
      'A GitHub account was connected',
    ],
    [{ addedEmail: 'eve' }, 'An email address was added to your Shop account', 'The email address eve was added.'],
    [{ newPrimaryEmail: 'eve' }, 'Your email address for Shop was changed', 'is now eve.'],
  ])('describes the change in subject and text: %j', async (variables, subject, sentence) => {
    const rendered = await notice(variables as unknown as Record<string, string>);
    expect(rendered.subject).toBe(subject);
    expect(rendered.text).toContain(sentence);
    expect(rendered.text.split('\n')).toContain(link);
  });

  test('lists exactly the changes of one command', async () => {
    const { subject, text: plain } = await notice({ passwordChanged: 'yes', secondFactorOff: 'yes' });
    expect(subject).toBe('Your password for Shop was changed');
    expect(plain).toContain('Your password was changed. Two-factor authentication was turned off.');
    expect(plain).not.toMatch(/passkey|email address|connected/);
  });

  test('cannot be made to contain a link by an email address', async () => {
    const { html, text: plain } = await notice({ addedEmail: 'visit https://evil.example.org now' });
    expect(html.match(/href="[^"]*"/g)).toEqual([`href="${link.replaceAll('&', '&amp;')}"`]);
    expect(plain).not.toContain('https://evil.example.org');
  });
});

describe('a custom template', () => {
  test('puts link and code on their own lines even within a sentence', async () => {
    const { text: plain } = await render(page(text('Type {{ otp }} or open {{ magicLink }} now.')), {
      otp: 'ABC123',
      magicLink: link,
    });
    expect(plain.split('\n')).toEqual(['Type', 'ABC123', 'or open', link, 'now.', '']);
  });

  test('can contain bold text and links, unlike a user’s name', async () => {
    const content = page(text('**{{ userDisplayName }}** and [here](https://example.com/?q={{ otp }})'));
    const { html } = await render(content, { userDisplayName: '**x** [y](https-evil)', otp: 'A&B' });
    expect(html).toContain('<strong>**x** [y](https-evil)</strong>');
    expect(html).toContain('href="https://example.com/?q=A&amp;B"');
    expect(html.match(/<a /g)).toHaveLength(1);
  });

  test.each([
    '{{{ otp }}}',
    '{{ otp.length }}',
    '{{ constructor }}',
    '{{ __proto__ }}',
    '{{ this }}',
    '{{#each otp}}x{{/each}}',
    '{{> partial }}',
    '{{ lookup otp "x" }}',
    '{{#if otp}}unclosed',
    '{{#unless otp}}x{{/unless}}',
    '{{ @root }}',
    '{{ unknownName }}',
  ])('with unsupported syntax is sent unchanged: %s', async (written) => {
    expect((await render(page(text(written)), { otp: 'ABC123' })).text.trim()).toBe(written);
  });

  test('shows one of two branches depending on a value', async () => {
    const content = page(text('{{#if otp}}with {{ otp }}{{else}}without{{/if}}{{! a note }}'));
    expect((await render(content, { otp: 'A' })).text).toBe('with\nA\n');
    expect((await render(content)).text).toBe('without\n');
  });

  test('links to safe URLs only', async () => {
    const button = (url: string): EmailContent[string] => ({ type: 'Button', data: { props: { text: 'Go', url } } });
    const image = (url: string): EmailContent[string] => ({ type: 'Image', data: { props: { url } } });
    const bad = [
      'javascript:alert(1)',
      ' JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      '/x',
    ];
    const { html } = await render(page(...bad.flatMap((url) => [button(url), image(url), text(`[a](${url.trim()})`)])));
    expect(html).not.toMatch(/<a |<img /);
  });

  test('tolerates missing blocks and blocks that contain themselves', async () => {
    const content: EmailContent = {
      root: { type: 'EmailLayout', data: { childrenIds: ['missing', 'loop', 'root', '__proto__'] } },
      loop: { type: 'Container', data: { props: { childrenIds: ['loop', 'words'] } } },
      words: text('once'),
    };
    const { html, text: plain } = await render(content);
    expect(plain).toBe('once\n');
    expect(html.match(/once/g)).toHaveLength(1);
    expect((await render({})).text).toBe('\n');
  });

  test('has a single-line subject', async () => {
    const { subject } = await render(
      {},
      { userDisplayName: 'x\r\nBcc: eve@example.com' },
      'a\nb {{ userDisplayName }}',
    );
    expect(subject).not.toMatch(/[\r\n]/);
    expect((await render({}, {}, 'x'.repeat(1000))).subject).toHaveLength(200);
  });

  test('with invalid blocks yields validation errors', () => {
    expect(listContentErrors({})).toEqual([]);
    expect(listContentErrors({ root: { type: 'Script', data: {} } })[0]).toMatch(/^root/);
    const red = { type: 'Text', data: { style: { color: 'red' } } };
    expect(listContentErrors({ x: red })).toEqual(['x.data.style.color: must be a color like #1a2b3c']);
    for (const invalid of [null, [], 'text', 1]) expect(listContentErrors(invalid)).toHaveLength(1);
  });

  test('can nest bold text and links, in text blocks only', async () => {
    const heading: EmailContent[string] = {
      type: 'Heading',
      data: { props: { text: '**x** [y](https://z.example)' } },
    };
    const { html, text: plain } = await render(
      page(text('**a [b](https://b.example/) c** [**d**](https://d.example/)'), heading),
    );
    expect(html).toMatch(/<strong>a <\/strong><a [^>]*href="https:\/\/b\.example\/"[^>]*><strong>b<\/strong><\/a>/);
    expect(html).toMatch(/href="https:\/\/d\.example\/"[^>]*><strong>d<\/strong>/);
    expect(html).toMatch(/<h2[^>]*>\*\*x\*\* \[y\]\(https:\/\/z\.example\)<\/h2>/);
    expect(plain.split('\n').slice(0, 5)).toEqual(['a b:', 'https://b.example/', 'c d:', 'https://d.example/', '']);
  });

  test('can open an app only through a generated link', async () => {
    const button = (url: string): EmailContent[string] => ({ type: 'Button', data: { props: { text: 'Go', url } } });
    const app = 'myapp://localhost/open?code=1';
    expect((await render(page(button(app)))).html).not.toContain('href');
    expect((await render(page(button('{{ magicLink }}')), { magicLink: app })).html).toContain(`href="${app}"`);
    expect((await render(page(button('{{ otp }}')), { otp: app })).html).not.toContain('href');
    expect((await render(page(button('{{ magicLink }}')), { magicLink: 'javascript:x' })).html).not.toContain('href');
    expect((await render(page(button('mailto:help@shop.example')))).html).toContain('href="mailto:help@shop.example"');
  });

  test.each([
    ['See https://shop.example/a?b=c. Bye', ['See', 'https://shop.example/a?b=c', 'Bye']],
    ['Go to https://shop.example/in/{{ otp }}!', ['Go to', 'https://shop.example/in/ABC123']],
    ['Code: {{ otp }}.', ['Code:', 'ABC123']],
    ['[{{ magicLink }}]({{ magicLink }})', [link]],
    ['[https://bank.example](https://evil.example/)', ['https://bank.example', '', 'https://evil.example/']],
  ])('keeps links and codes on their own lines: %s', async (written, lines) => {
    const { text: plain } = await render(page(text(written)), { otp: 'ABC123', magicLink: link });
    expect(plain.trimEnd().split('\n')).toEqual(lines);
  });

  test('expands to an email of bounded size', async () => {
    const many = (id: string): EmailContent[string] => ({
      type: 'Container',
      data: { props: { childrenIds: Array.from({ length: 100 }, () => id) } },
    });
    const levels = Array.from({ length: 50 }, (_, nth): [string, EmailContent[string]] => [
      `level-${nth}`,
      many(`level-${nth + 1}`),
    ]);
    const content = { ...page(), root: page(text('')).root, '0': many('level-0'), ...Object.fromEntries(levels) };
    const { html, text: plain } = await render({ ...content, 'level-3': text('x') } as EmailContent);
    expect(html.length).toBeLessThan(500_000);
    expect(plain.length).toBeGreaterThan(100);
    const long = page(...Array.from({ length: 100 }, () => text('y'.repeat(9_000))));
    expect((await render(long)).text.length).toBeLessThan(100_000);
  });

  test('with default page colors adapts to dark mode with readable text', async () => {
    const pale = { type: 'Text', data: { props: { text: 'x' }, style: { color: '#7A0000' } } } as const;
    const boxed = { type: 'Text', data: { props: { text: 'x' }, style: { backgroundColor: '#ffffcc' } } } as const;
    const { html } = await render(page(pale, boxed));
    const dark = html.match(/\.ink-7a0000 \{ color: (#[0-9a-f]{6}) !important; \}/)?.[1] ?? '#000000';
    expect(contrast(dark, '#181d27')).toBeGreaterThan(4.5);
    expect(html.match(/<p [^>]*class="ink-/g)).toHaveLength(1);
    const own: EmailContent = { root: { type: 'EmailLayout', data: { canvasColor: '#ffeedd' } } };
    expect((await render(own)).html).not.toContain('prefers-color-scheme');
  });
});

describe('values of variables', () => {
  test('are never interpreted as markup', async () => {
    const content = page(text('{{ userDisplayName }}{{ otp }}{{ magicLink }}'));
    await fc.assert(
      fc.asyncProperty(fc.string(), async (value) => {
        const { html } = await render(content, {
          userDisplayName: `<b>${value}`,
          otp: `<i>${value}`,
          magicLink: `<a>${value}`,
        });
        expect(html).not.toMatch(/<b>|<i>|<a>/);
      }),
      { numRuns: 50 },
    );
  });
});
