import { expect, test } from 'vitest';
import { withBranding } from './branding.ts';
import { light } from './colors.ts';
import { listContentErrors } from './content.ts';
import { defaultTemplate } from './defaults.ts';
import { renderEmail } from './render.ts';
import { sampleVariables, variableNames } from './variables.ts';

const branding = {
  logoUrl: 'https://example.com/logo.png',
  darkLogoUrl: 'https://example.com/dark.png?a=1&b=2,3',
  accentColor: '#ffdd00',
};
const type = 'email_verification';
const { content } = defaultTemplate(type);
const render = (template = defaultTemplate(type)) =>
  renderEmail({ template, variables: sampleVariables(type), known: variableNames[type], branding });

test('an email has the logo of its project and the accent color on its buttons, with a readable text', async () => {
  expect(listContentErrors(withBranding(content, branding))).toEqual([]);
  const { html } = await render();
  expect(html).toContain(branding.logoUrl);
  expect(html).toMatch(/color:#1d2433[^"]*background-color:#ffdd00|background-color:#ffdd00[^"]*color:#1d2433/);
  expect(html).not.toContain(`background-color:${light.link}`);
});

test('an email that adapts to dark mode has the dark logo of its project there', async () => {
  const { html } = await render();
  const picture = /<picture><source srcSet="([^"]+)" media="\(prefers-color-scheme: dark\)"\/?><img[^>]+>/i.exec(html);
  expect(picture?.[1]).toBe('https://example.com/dark.png?a=1&amp;b=2,3');
  expect(picture?.[0]).toContain(branding.logoUrl);
  const root = { type: 'EmailLayout', data: { ...content.root?.data, backdropColor: '#000001' } };
  const fixed = await render({ ...defaultTemplate(type), content: { ...content, root } as typeof content });
  expect(fixed.html).toContain(branding.logoUrl);
  expect(fixed.html).not.toContain('<picture>');
});

test('an image at the top and the colors of a template stay', async () => {
  const own = withBranding(content, { logoUrl: 'https://example.com/own.png', accentColor: '#112233' });
  const { html } = await render({ ...defaultTemplate(type), content: own });
  expect(html).toContain('https://example.com/own.png');
  expect(html).toContain('#112233');
  expect(html).not.toContain(branding.logoUrl);
  expect(html).not.toContain('#ffdd00');
});

test('without branding, nothing changes', () => {
  expect(withBranding(content, { logoUrl: null, accentColor: null })).toBe(content);
});
